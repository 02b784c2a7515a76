import { builder } from '#schema/builder.ts';
import type { Spent } from '#schema/usage/spent.ts';

/** Cost that makes a point, which an operation takes at least. */
const COST_OF_A_POINT = 100;

/** The points that an operation takes. */
export function pointsOf({ cost, introspectionCost }: { cost: number; introspectionCost: number }): number {
  return Math.max(1, Math.ceil((cost + introspectionCost) / COST_OF_A_POINT));
}

const MAX_INT = 2_147_483_647;

const RateLimit = builder.objectRef<Spent>('RateLimit').implement({
  description:
    'The points that a user, or the network of a caller without an account, can spend in an hour. Each process of the server counts by itself.',
  fields: (t) => ({
    limit: t.int({
      description: 'How many there are in an hour.',
      resolve: ({ limit }) => Math.min(limit, MAX_INT),
    }),
    cost: t.exposeInt('cost', {
      description: `How many this operation took: one for each ${COST_OF_A_POINT} of its cost, at least one.`,
    }),
    used: t.int({
      description: 'How many were spent in this hour, with those of this operation.',
      resolve: ({ used }) => Math.min(used, MAX_INT),
    }),
    remaining: t.int({
      description: 'How many are left; without any, operations are refused with RATE_LIMITED.',
      resolve: ({ remaining }) => Math.min(remaining, MAX_INT),
    }),
    resetAt: t.expose('resetAt', {
      type: 'DateTime',
      description: 'When all of them are there again: an hour after the first operation of this hour.',
    }),
  }),
});

builder.queryFields((t) => ({
  rateLimit: t.field({
    type: RateLimit,
    nullable: true,
    description:
      'What the caller has spent of their points of this hour, and what this operation takes of them; null for operations that take none, such as those of subscriptions.',
    resolve: (_root, _args, { spent }) => spent ?? null,
  }),
}));
