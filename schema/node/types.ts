import { builder } from '#schema/builder.ts';

export { fromGlobalId, toGlobalId } from '#schema/node/global_id.ts';

/** The interface of all types with a global ID. */
export const Node = builder.interfaceRef<object>('Node').implement({
  description: 'A record with a global ID, which `node` and `nodes` can find.',
  fields: (t) => ({
    id: t.id({ description: 'Global ID of the record: opaque, and unique across all types.', resolve: () => '' }),
  }),
});
