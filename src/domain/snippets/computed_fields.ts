import { visible } from '#src/domain/snippets/visible.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

declare module '#src/platform/records/computed_fields.ts' {
  interface ComputedFields {
    Snippet: {
      /** Whether the actor sees it by its visibility alone. */
      isOpen: boolean;
      /** Whether the actor sees it as a member of its project. */
      isOpenToMember: boolean;
    };
  }
}

computedFields('Snippet', {
  isOpen: (snippet, { params }) => params(({ actor }) => visible(actor, false, snippet)),
  isOpenToMember: (snippet, { params }) => params(({ actor }) => visible(actor, true, snippet)),
});
