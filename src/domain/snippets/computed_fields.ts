import { visible } from '#src/domain/snippets/visible.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

computedFields('Snippet', {
  isOpen: (snippet, { params }) => params(({ actor }) => visible(actor, false, snippet)),
  isOpenToMember: (snippet, { params }) => params(({ actor }) => visible(actor, true, snippet)),
});
