import { AwardEmoji, AwardEmojiConnection, Reaction } from '#schema/awards/types.ts';
import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import { awardFilter } from '#schema/filters.ts';
import { Issue } from '#schema/issues/types.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Note } from '#schema/notes/types.ts';
import { awardOrder } from '#schema/orders.ts';
import { loaderAt } from '#schema/records/below.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { Snippet } from '#schema/snippets/types.ts';
import type { AwardableType } from '#src/domain/tracking/awards/awardable.ts';
import { findAward, listAwardsOn } from '#src/domain/tracking/awards/list.ts';
import { listReactionsOn } from '#src/domain/tracking/awards/reactions.ts';
import { select } from '#src/platform/records/selection.ts';

const TYPES = { Issue, MergeRequest, Snippet, Note } as const;
const NAMES = { Issue: 'issue', MergeRequest: 'merge request', Snippet: 'snippet', Note: 'note' } as const;

/** Nothing is selected of reactions: they are no records. */
const REACTIONS = select('AwardEmoji', {});

/** Adds awards to a type. */
function addAwards(type: AwardableType): void {
  builder.prismaObjectFields(TYPES[type] as typeof Issue, (t) => ({
    awards: t.field({
      type: AwardEmojiConnection,
      description: `The emoji that users gave the ${NAMES[type]}, oldest first.`,
      args: { ...pageArgs, ...awardFilter, ...awardOrder('ID', 'asc') },
      resolve: ({ id }, args, context, info) =>
        pageBelow('AwardEmoji', id, args, context, info, (_context, ids, page, selection) =>
          listAwardsOn(context, type, ids, page, selection),
        ),
    }),
    reactions: t.field({
      type: [Reaction],
      description: `The emoji that users gave the ${NAMES[type]}, each once with how many gave it, in the order in which they first were.`,
      resolve: ({ id }, _args, context, info) =>
        loaderAt(context, info, REACTIONS, (ids: readonly number[]) => listReactionsOn(context, type, ids)).load(id),
    }),
    award: t.field({
      type: AwardEmoji,
      nullable: true,
      description: `An emoji that a user gave the ${NAMES[type]}, by its ID.`,
      args: { id: t.arg({ ...idOf('AwardEmoji'), required: true, description: 'Global or numeric ID of the award.' }) },
      resolve: (record, { id }, context, info) =>
        findAward(context, { type, id: record.id }, id, selectionAt(info, 'AwardEmoji')),
    }),
  }));
}

for (const type of Object.keys(TYPES) as AwardableType[]) addAwards(type);
