import '#schema/scalars.ts';
import '#schema/node/queries.ts';
import '#schema/users/queries.ts';
import '#schema/users/mutations.ts';
import '#schema/keys/mutations.ts';
import '#schema/emails/mutations.ts';
import '#schema/tokens/mutations.ts';
import '#schema/groups/queries.ts';
import '#schema/groups/mutations.ts';
import '#schema/groups/projects.ts';
import '#schema/namespaces/queries.ts';
import '#schema/members/queries.ts';
import '#schema/members/mutations.ts';
import '#schema/access_requests/types.ts';
import '#schema/access_requests/mutations.ts';
import '#schema/projects/queries.ts';
import '#schema/projects/mutations.ts';
import '#schema/issues/queries.ts';
import '#schema/issues/mutations.ts';
import '#schema/labels/types.ts';
import '#schema/labels/mutations.ts';
import '#schema/milestones/queries.ts';
import '#schema/milestones/mutations.ts';
import { builder } from '#schema/builder.ts';

/** The whole GraphQL schema. */
export const schema = builder.toSchema();
