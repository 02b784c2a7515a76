import { builder } from '#schema/builder.ts';

export { fromGlobalId, toGlobalId } from '#schema/node/global_id.ts';

/** The interface of everything that has a global ID. */
export const Node = builder.interfaceRef<{ id: number }>('Node').implement({
  description: 'Something with a global ID.',
  fields: (t) => ({ id: t.id({ description: 'Opaque and unique over all types.', resolve: () => '' }) }),
});
