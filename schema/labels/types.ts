import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findLabel, listLabels } from '#src/labels/list.ts';

export const Label = builder.prismaObject('Label', {
  description: 'A word that issues and merge requests are marked with.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({ description: 'Global ID.', resolve: ({ id }) => toGlobalId('Label', id) }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID, as the REST API uses it.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project.' }),
    title: t.exposeString('title', { description: 'Unique within the project; no comma.' }),
    color: t.exposeString('color', { description: 'Hex digits behind a `#`.' }),
    description: t.exposeString('description', { nullable: true, description: 'What it means.' }),
    priority: t.exposeInt('priority', { nullable: true, description: '0 or more; the lowest comes first.' }),
    openIssuesCount: t.exposeInt('openIssuesCount', { description: 'Open issues that the caller sees.' }),
    closedIssuesCount: t.exposeInt('closedIssuesCount', { description: 'Closed issues that the caller sees.' }),
    openMergeRequestsCount: t.exposeInt('openMergeRequestsCount', { description: 'Open merge requests.' }),
    viewerSubscribed: t.exposeBoolean('isSubscribed', { description: 'Whether the caller follows it.' }),
  }),
});

export const LabelConnection = connectionOf('Label', Label);

builder.objectFields(Project, (t) => ({
  labels: t.field({
    type: LabelConnection,
    description: 'Its labels by title.',
    args: pageArgs,
    resolve: (project, args, context, info) => {
      return pageBelow('Label', project, args, context, info, (_context, projects, page, selection) =>
        listLabels(context, projects, page, selection),
      );
    },
  }),
  label: t.field({
    type: Label,
    description: 'One of its labels.',
    args: { ref: t.arg.string({ required: true, description: 'Numeric ID or title.' }) },
    resolve: (project, { ref }, context, info) =>
      findLabel(context, project, { idOrTitle: ref }, selectionAt(info, 'Label')),
  }),
}));
