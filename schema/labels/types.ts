import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findLabel, listLabels } from '#src/domain/tracking/labels/list.ts';

export const Label = builder.prismaObject('Label', {
  description: 'A label for issues and merge requests.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the label, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('Label', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the label, as the REST API uses it.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field(ownProject),
    title: t.exposeString('title', {
      description: 'Title of the label, unique within the project and without commas.',
    }),
    color: t.exposeString('color', { description: 'Colour as `#` with six hexadecimal digits: `#d9534f`.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What the label stands for, as plain text; null when unset.',
    }),
    priority: t.exposeInt('priority', {
      nullable: true,
      description: 'Priority of the label: 0 or more, where 0 is the highest; null when unset.',
    }),
    openIssuesCount: t.exposeInt('openIssuesCount', {
      description: 'Number of open issues with the label that the caller can see.',
    }),
    closedIssuesCount: t.exposeInt('closedIssuesCount', {
      description: 'Number of closed issues with the label that the caller can see.',
    }),
    openMergeRequestsCount: t.exposeInt('openMergeRequestsCount', {
      description: 'Number of open merge requests with the label.',
    }),
    viewerSubscribed: t.exposeBoolean('isSubscribed', {
      description: 'Whether the caller is subscribed to the label.',
    }),
  }),
});

export const LabelConnection = connectionOf('Label', Label);

builder.objectFields(Project, (t) => ({
  labels: t.field({
    type: LabelConnection,
    description: 'The labels of the project, by title. For signed-in callers.',
    args: pageArgs,
    resolve: (project, args, context, info) => {
      context.loaders.noteProject(project);
      return pageBelow('Label', project, args, context, info, (_context, projects, page, selection) =>
        listLabels(context, projects, page, selection),
      );
    },
  }),
  label: t.field({
    type: Label,
    description: 'A label of the project by ID or title.',
    args: { ref: t.arg.string({ required: true, description: 'Numeric ID or title of the label.' }) },
    resolve: (project, { ref }, context, info) => {
      context.loaders.noteProject(project);
      return findLabel(context, project, { idOrTitle: ref }, selectionAt(info, 'Label'));
    },
  }),
}));
