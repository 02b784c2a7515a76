import { Board } from '#schema/boards/types.ts';
import { Branch } from '#schema/branches/types.ts';
import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { Environment } from '#schema/environments/types.ts';
import { Issue } from '#schema/issues/types.ts';
import { Job } from '#schema/jobs/types.ts';
import { Label } from '#schema/labels/types.ts';
import { Milestone } from '#schema/milestones/types.ts';
import { Pipeline } from '#schema/pipelines/types.ts';
import { abilityThere } from '#schema/places/fields.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { Runner } from '#schema/runners/types.ts';
import { PipelineSchedule } from '#schema/schedules/types.ts';
import { Snippet } from '#schema/snippets/types.ts';
import { can, type ProjectAbility } from '#src/access/permissions/abilities.ts';
import { mayDeleteSchedule, owns } from '#src/domain/ci/schedules/rights.ts';
import { defaultBranch } from '#src/domain/repository/revision.ts';
import { mayChange } from '#src/domain/snippets/save.ts';
import { mayUpdate } from '#src/domain/tracking/issues/update.ts';

/** Whether the caller has an ability in the project of a record; projects are batched for the records of a list. */
function ability(name: ProjectAbility, description: string) {
  return {
    description,
    select: { projectId: true },
    resolve: async ({ projectId }: { projectId: number }, _args: object, context: GraphQLContext) =>
      context.actor !== null && can(context.actor, name, await requireProjectBase(context, projectId)),
  } as const;
}

builder.prismaObjectFields(Issue, (t) => ({
  viewerCanUpdate: t.boolean({
    description: 'Whether the caller can change title, description and state of the issue.',
    select: { projectId: true, confidential: true, authorId: true, assigneeIds: true },
    resolve: async (issue, _args, context) =>
      context.actor !== null && mayUpdate(context.actor, await requireProjectBase(context, issue.projectId), issue),
  }),
  viewerCanManage: t.boolean(
    ability('admin_issue', 'Whether the caller can set labels, milestone, assignee and due date of the issue.'),
  ),
  viewerCanMove: t.boolean(
    ability(
      'move_issue',
      'Whether the caller can move the issue to another project in which they have the same permission.',
    ),
  ),
  viewerCanDelete: t.boolean(ability('delete_issue', 'Whether the caller can delete the issue.')),
}));

builder.prismaObjectFields(Label, (t) => ({
  viewerCanUpdate: t.boolean(
    abilityThere('admin_label', 'admin_group_label', 'Whether the caller can change the label.'),
  ),
  viewerCanDelete: t.boolean(
    abilityThere('admin_label', 'admin_group_label', 'Whether the caller can delete the label.'),
  ),
}));

builder.prismaObjectFields(Milestone, (t) => ({
  viewerCanUpdate: t.boolean(
    abilityThere('admin_milestone', 'admin_group_milestone', 'Whether the caller can change and close the milestone.'),
  ),
  viewerCanDelete: t.boolean(
    abilityThere('admin_milestone', 'admin_group_milestone', 'Whether the caller can delete the milestone.'),
  ),
}));

builder.prismaObjectFields(Board, (t) => ({
  viewerCanUpdate: t.boolean(
    abilityThere('admin_board', 'admin_group_board', 'Whether the caller can change the board and its lists.'),
  ),
  viewerCanDelete: t.boolean(
    abilityThere(
      'admin_board',
      'admin_group_board',
      'Whether the caller can delete the board, unless it is the only one of a project.',
    ),
  ),
}));

builder.prismaObjectFields(Pipeline, (t) => ({
  viewerCanUpdate: t.boolean(ability('update_pipeline', 'Whether the caller can cancel and retry the pipeline.')),
}));

builder.prismaObjectFields(Job, (t) => ({
  viewerCanUpdate: t.boolean(ability('update_job', 'Whether the caller can start, cancel, retry and erase the job.')),
}));

builder.prismaObjectFields(Job, (t) => ({
  viewerCanDeleteArtifacts: t.boolean(
    ability('delete_artifacts', 'Whether the caller can delete the artifacts of the job.'),
  ),
}));

builder.prismaObjectFields(PipelineSchedule, (t) => ({
  viewerCanUpdate: t.boolean({
    description: 'Whether the caller can change the schedule and its variables: its owner and administrators may.',
    select: { projectId: true, ownerId: true },
    resolve: async (schedule, _args, context) =>
      context.actor !== null && owns(context.actor, await requireProjectBase(context, schedule.projectId), schedule),
  }),
  viewerCanTakeOwnership: t.boolean({
    description: 'Whether the caller, who does not own the schedule, can become its owner.',
    select: { projectId: true, ownerId: true },
    resolve: async ({ projectId, ownerId }, _args, context) =>
      context.actor !== null &&
      context.actor.id !== ownerId &&
      can(context.actor, 'admin_pipeline_schedule', await requireProjectBase(context, projectId)),
  }),
  viewerCanPlay: t.boolean(
    ability(
      'create_pipeline',
      'Whether the caller can start a pipeline of the schedule, if they can push or merge to its branch.',
    ),
  ),
  viewerCanDelete: t.boolean({
    description: 'Whether the caller can delete the schedule: its owner and masters may.',
    select: { projectId: true, ownerId: true },
    resolve: async (schedule, _args, context) => {
      if (context.actor === null) return false;
      return mayDeleteSchedule(context.actor, await requireProjectBase(context, schedule.projectId), schedule);
    },
  }),
}));

builder.prismaObjectFields(Runner, (t) => ({
  viewerCanUpdate: t.boolean({
    description: 'Whether the caller can change, pause and resume the runner.',
    select: { id: true },
    resolve: async ({ id }, _args, { loaders }) => (await loaders.runnerRights.load(id)).mayUpdate,
  }),
  viewerCanDelete: t.boolean({
    description: 'Whether the caller can delete the runner.',
    select: { id: true },
    resolve: async ({ id }, _args, { loaders }) => (await loaders.runnerRights.load(id)).mayDelete,
  }),
}));

builder.prismaObjectFields(Environment, (t) => ({
  viewerCanStop: t.boolean(ability('stop_environment', 'Whether the caller can stop the environment.')),
  viewerCanUpdate: t.boolean(ability('admin_environment', 'Whether the caller can change the environment.')),
  viewerCanDelete: t.boolean(ability('admin_environment', 'Whether the caller can delete the environment.')),
}));

builder.prismaObjectFields(Snippet, (t) => ({
  viewerCanUpdate: t.boolean({
    description: 'Whether the caller can change the snippet: its author and administrators may.',
    select: { authorId: true },
    resolve: (snippet, _args, { actor }) => actor !== null && mayChange(actor, snippet),
  }),
  viewerCanDelete: t.boolean({
    description: 'Whether the caller can delete the snippet: its author and administrators may.',
    select: { authorId: true },
    resolve: (snippet, _args, { actor }) => actor !== null && mayChange(actor, snippet),
  }),
}));

builder.objectFields(Branch, (t) => ({
  viewerCanPush: t.boolean({
    description: 'Whether the caller can push to the branch, considering its protection.',
    resolve: async ({ name, commit: { project } }, _args, { loaders }) =>
      (await loaders.branchRefusals.load(project))?.(name, 'push') === null,
  }),
  viewerCanDelete: t.boolean({
    description:
      'Whether the caller can delete the branch, considering its protection. The default branch cannot be deleted.',
    resolve: async ({ name, commit: { project, repository } }, _args, { loaders }) => {
      if ((await loaders.branchRefusals.load(project))?.(name, 'delete') !== null) return false;
      return name !== (await defaultBranch(project, repository));
    },
  }),
}));
