import '#schema/scalars.ts';
import '#schema/node/queries.ts';
import '#schema/users/queries.ts';
import '#schema/users/mutations.ts';
import '#schema/groups/queries.ts';
import '#schema/groups/mutations.ts';
import '#schema/projects/queries.ts';
import '#schema/projects/mutations.ts';
import '#schema/issues/queries.ts';
import '#schema/issues/mutations.ts';
import '#schema/labels/types.ts';
import '#schema/labels/mutations.ts';
import '#schema/milestones/queries.ts';
import '#schema/milestones/mutations.ts';
import '#schema/events/types.ts';
import '#schema/settings/queries.ts';
import '#schema/settings/mutations.ts';
import { builder } from '#schema/builder.ts';

/** The whole GraphQL schema. */
export const schema = builder.toSchema();
