import { Member } from '#schema/members/types.ts';
import type { Payload } from '#schema/mutation.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { AddedMembers } from '#src/domain/members/add.ts';
import { type ChangedMember, changedMember } from '#src/domain/members/list.ts';

/** The payload of a mutation that creates or updates a membership. */
export const memberPayload: Payload<ChangedMember> = {
  description: 'The membership after the change.',
  fields: (t) => ({
    member: t.field({
      type: Member,
      description: 'The membership as it is now.',
      resolve: (changed, _args, context, info) => changedMember(context, changed, selectionAt(info, 'Member')),
    }),
  }),
};

/** The payload of a mutation that makes one or several users members. */
export const addedPayload: Payload<AddedMembers> = {
  description: 'The membership of the user, or what came of adding several.',
  fields: (t) => ({
    member: t.field({
      type: Member,
      nullable: true,
      description: 'The membership as it is now, if one user was named; null for several.',
      resolve: ({ changed }, _args, context, info) =>
        changed && changedMember(context, changed, selectionAt(info, 'Member')),
    }),
    status: t.string({
      nullable: true,
      description: '`success`, or `error` if some of several users could not be added; null for one user.',
      resolve: ({ refused }) => refused && (refused.size > 0 ? 'error' : 'success'),
    }),
    message: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Why users could not be added, by username or else by ID; null if all could.',
      resolve: ({ refused }) => (refused && refused.size > 0 ? Object.fromEntries(refused) : null),
    }),
  }),
};
