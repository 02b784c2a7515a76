import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { Source } from '#schema/subscriptions/source.ts';
import { authorize, type ProjectAbility } from '#src/access/permissions/abilities.ts';
import { readerOf, requireActor } from '#src/access/permissions/actor.ts';
import { findGroup, type IdOrPath } from '#src/domain/groups/find.ts';
import type { ChangeKind } from '#src/domain/live/change.ts';
import type { Topic } from '#src/domain/live/topic.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { BadRequest } from '#src/platform/errors.ts';

/** What the fields of a scope mean. */
export const SCOPES = {
  project: 'The records of this project.',
  group: 'The records of the projects of this group and of its subgroups.',
  viewer: '`true`: the records of all projects that the caller is a member of, directly or through a group.',
};

const SubscriptionScope = builder.inputType('SubscriptionScope', {
  description: 'The records to subscribe to; give exactly one field.',
  isOneOf: true,
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', description: SCOPES.project }),
    group: t.field({ type: 'GroupRef', description: SCOPES.group }),
    viewer: t.boolean({ description: SCOPES.viewer }),
  }),
});

type SubscriptionFields = PothosSchemaTypes.SubscriptionFieldBuilder<typeof builder.$inferSchemaTypes, object>;

/** The argument `in`, which says where to report records from. */
export function placeArg(t: Pick<SubscriptionFields, 'arg'>, records: string) {
  return t.arg({
    type: SubscriptionScope,
    required: true,
    description: `Where to report ${records} from: a project, a group, or all projects of the caller.`,
  });
}

export interface Scope {
  project?: IdOrPath | null | undefined;
  group?: IdOrPath | null | undefined;
  viewer?: boolean | null | undefined;
}

export interface Asked<In> {
  in: In;
  after?: string | null | undefined;
}

/**
 * The source for the caller. Without an ability, anonymous callers may subscribe. Throws NotFound, Forbidden, Unauthenticated.
 */
export async function sourceOf(
  context: GraphQLContext,
  kind: ChangeKind,
  { in: { project, group, viewer }, after }: Asked<Scope>,
  ability?: ProjectAbility,
): Promise<Source> {
  const topic = (scope: Topic['scope'], id: number) => new Source({ kind, scope, id }, after);
  if (project != null) {
    const found = await findProject(context, project);
    if (ability) authorize(readerOf(context), ability, found);
    return topic('project', found.id);
  }
  if (group != null) return topic('group', (await findGroup(context, group)).id);
  if (viewer) return topic('viewer', requireActor(context).id);
  throw new BadRequest('`viewer` must be true.');
}
