import { builder } from '#schema/builder.ts';
import { namesOf } from '#schema/inputs.ts';
import { Member } from '#schema/members/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { type ChangedMember, changedMember } from '#src/domain/members/list.ts';

/** The payload of a mutation that creates or updates a membership. */
export function memberPayload(mutation: string) {
  return builder.objectRef<ChangedMember>(namesOf(mutation).payload).implement({
    description: 'The membership after the change.',
    fields: (t) => ({
      member: t.field({
        type: Member,
        description: 'The membership as it is now.',
        resolve: (changed, _args, context, info) => changedMember(context, changed, selectionAt(info, 'Member')),
      }),
    }),
  });
}
