import { visible } from '#src/domain/snippets/visible.ts';
import { ownValues } from '#src/platform/records/own_values.ts';

declare module '#src/platform/records/own_values.ts' {
  interface OwnValues {
    Snippet: {
      /** Whether the actor sees it by its visibility alone. */
      isOpen: boolean;
      /** Whether the actor sees it as a member of its project. */
      isOpenToMember: boolean;
    };
  }
}

ownValues('Snippet', {
  isOpen: (snippet, { given }) => given(({ actor }) => visible(actor, false, snippet)),
  isOpenToMember: (snippet, { given }) => given(({ actor }) => visible(actor, true, snippet)),
});
