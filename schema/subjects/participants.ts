import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import { Issue } from '#schema/issues/types.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { ACTIVE_PEOPLE, UserConnection } from '#schema/users/types.ts';
import { listParticipants } from '#src/domain/tracking/subjects/participants.ts';

const TYPES = { Issue, MergeRequest } as const;
const NAMES = { Issue: 'issue', MergeRequest: 'merge request' } as const;

/** Adds participants to a type. */
function addParticipants(type: keyof typeof TYPES): void {
  builder.prismaObjectFields(TYPES[type] as typeof Issue, (t) => ({
    participants: t.field({
      type: UserConnection,
      description: `The users who take part in the ${NAMES[type]}, by ID: its author, its assignees${type === 'MergeRequest' ? ' and reviewers' : ''}, those who wrote notes on it, and those whom it mentions.`,
      args: {
        ...pageArgs,
        search: t.arg.string({
          description:
            'Only users with this text in name or username, or with this whole e-mail address if it is public.',
        }),
        activePeople: t.arg.boolean({ description: ACTIVE_PEOPLE }),
      },
      select: { id: true },
      resolve: ({ id }, args, context, info) =>
        pageBelow('User', id, args, context, info, (_context, ids, page, selection) =>
          listParticipants(context, type, ids, args, page, selection),
        ),
    }),
  }));
}

addParticipants('Issue');
addParticipants('MergeRequest');
