import { builder } from '#schema/builder.ts';
import { Member } from '#schema/members/types.ts';
import type { Payload } from '#schema/mutation.ts';
import { loaderAt } from '#schema/records/below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { AddedMembers } from '#src/domain/members/add.ts';
import { type ChangedMember, changedMember, changedMembers } from '#src/domain/members/list.ts';
import { type MemberOutcome, messagesOf } from '#src/domain/members/outcomes.ts';
import type { Source } from '#src/domain/members/source.ts';
import { CONDITIONS } from '#src/platform/errors.ts';

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

const RefusedItem = builder.objectRef<{ code: string; message: string }>('RefusedItem').implement({
  description: 'Why one of several was refused.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The code, as in `extensions.code` of errors.' }),
    message: t.exposeString('message', { description: 'The reason, for people.' }),
  }),
});

/** What came of one, with the place where the person is a member now. */
interface MemberResultRow extends MemberOutcome {
  source: Source;
}

const MemberResult = builder.objectRef<MemberResultRow>('MemberResult').implement({
  description: 'What came of one of the people whom a mutation names in lists.',
  fields: (t) => ({
    path: t.string({
      description: 'Where the input names the person, such as `input.userIds.1`: positions begin with 0.',
      resolve: ({ list, position }) => `input.${list}.${position}`,
    }),
    member: t.field({
      type: Member,
      nullable: true,
      description: 'The membership as it is now; null if it was refused, and for an address that was sent a link.',
      resolve: ({ source, userId, refused }, _args, context, info) => {
        if (userId === null || refused) return null;
        const selection = selectionAt(info, 'Member');
        const load = (ids: readonly number[]) => changedMembers(context, source, ids, selection);
        const key = `${source.kind} ${source.record.id}`;
        return loaderAt<number, typeof Member.$inferType | null>(context, info, selection, load, { key }).load(userId);
      },
    }),
    error: t.field({
      type: RefusedItem,
      nullable: true,
      description: 'Why the person was refused; null if not.',
      resolve: ({ refused }) => refused && { code: CONDITIONS[refused.condition].code, message: refused.message },
    }),
  }),
});

/** `results` of a payload. */
export function memberResults(
  t: PothosSchemaTypes.ObjectFieldBuilder<
    typeof builder.$inferSchemaTypes,
    { source: Source; outcomes: readonly MemberOutcome[] }
  >,
) {
  return {
    results: t.field({
      type: [MemberResult],
      description: 'What came of each, list by list in the order of the input.',
      resolve: ({ source, outcomes }) => outcomes.map((outcome) => ({ ...outcome, source })),
    }),
  };
}

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
      resolve: ({ refused }) => (refused && refused.size > 0 ? Object.fromEntries(messagesOf(refused)) : null),
    }),
    ...memberResults(t),
  }),
};
