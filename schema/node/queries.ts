import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { fromGlobalId, Node } from '#schema/node/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { requireAccount } from '#src/access/actor.ts';
import { findVisibleToken } from '#src/access/tokens/list.ts';
import { findApplication } from '#src/applications/find.ts';
import { findDeployment } from '#src/deployments/list.ts';
import { findVisibleEmail } from '#src/emails/list.ts';
import { findEnvironment } from '#src/environments/list.ts';
import { findGroup } from '#src/groups/find.ts';
import { findIssue } from '#src/issues/find.ts';
import { findJob } from '#src/jobs/list.ts';
import { findVisibleKey } from '#src/keys/list.ts';
import { labelById } from '#src/labels/list.ts';
import { findMilestone } from '#src/milestones/list.ts';
import { findPipeline } from '#src/pipelines/find.ts';
import { NotFound } from '#src/platform/errors.ts';
import { findProject } from '#src/projects/find.ts';
import { findSnippet } from '#src/snippets/find.ts';
import { findTrigger } from '#src/triggers/list.ts';
import { findUser } from '#src/users/find.ts';

/** How a record of each type is found by its ID, with the visibility that it has everywhere. */
const FINDERS: Record<
  string,
  (context: GraphQLContext, id: number, info: GraphQLResolveInfo) => Promise<{ id: number }>
> = {
  User: (context, id, info) => findUser(context, id, selectionAt(info, 'User')),
  SshKey: findVisibleKey,
  Email: findVisibleEmail,
  PersonalAccessToken: findVisibleToken,
  OAuthApplication: (context, id, info) => findApplication(context, id, selectionAt(info, 'OAuthApplication')),
  Group: findGroup,
  Project: (context, id, info) => findProject(context, id, selectionAt(info, 'Project')),
  Snippet: (context, id, info) => findSnippet(context, id, selectionAt(info, 'Snippet')),
  async Issue(context, id, info) {
    const { projectId, iid } = found('Issue', await context.db.issue.findUnique({ where: { id } }));
    return findIssue(context, await findProject(context, projectId), iid, selectionAt(info, 'Issue'));
  },
  async Label(context, id, info) {
    const { projectId } = found('Label', await context.db.label.findUnique({ where: { id } }));
    return labelById(context, await findProject(context, projectId), id, selectionAt(info, 'Label'));
  },
  async Milestone(context, id, info) {
    const { projectId } = found('Milestone', await context.db.milestone.findUnique({ where: { id } }));
    return findMilestone(context, await findProject(context, projectId), id, selectionAt(info, 'Milestone'));
  },
  async Trigger(context, id, info) {
    const { projectId } = found('Trigger', await context.db.trigger.findUnique({ where: { id } }));
    return findTrigger(context, await findProject(context, projectId), id, selectionAt(info, 'Trigger'));
  },
  async Deployment(context, id, info) {
    const { projectId } = found('Deployment', await context.db.deployment.findUnique({ where: { id } }));
    return findDeployment(context, await findProject(context, projectId), id, selectionAt(info, 'Deployment'));
  },
  async Environment(context, id, info) {
    const { projectId } = found('Environment', await context.db.environment.findUnique({ where: { id } }));
    return findEnvironment(context, await findProject(context, projectId), id, selectionAt(info, 'Environment'));
  },
  async Job(context, id, info) {
    const { projectId } = found('Job', await context.db.job.findUnique({ where: { id } }));
    return findJob(context, await findProject(context, projectId), id, selectionAt(info, 'Job'));
  },
  async Pipeline(context, id, info) {
    const { projectId } = found('Pipeline', await context.db.pipeline.findUnique({ where: { id } }));
    return findPipeline(context, await findProject(context, projectId), id, selectionAt(info, 'Pipeline'));
  },
};

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: 'The record with that global ID; null when the caller may not see it or there is none.',
    args: { id: t.arg.id({ required: true, description: 'Global ID of the record, of any type.' }) },
    resolve: async (_root, { id: globalId }, context, info) => {
      requireAccount(context);
      const { type = '', id = 0 } = fromGlobalId(globalId) ?? {};
      const find = FINDERS[type];
      if (!find) return null;
      try {
        return { ...(await find(context, id, info)), __typename: type };
      } catch (error) {
        if (error instanceof NotFound) return null;
        throw error;
      }
    },
  }),
}));

/** A row, or the refusal that hides whether there is one. */
function found<T>(resource: string, row: T | null): T {
  if (row === null) throw new NotFound(resource);
  return row;
}
