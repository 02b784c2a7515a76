import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { labelFilter } from '#schema/filters.ts';
import { Group } from '#schema/groups/types.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { labelOrder } from '#schema/orders.ts';
import { groupOfPlace, projectOfPlace } from '#schema/places/fields.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { textColor } from '#src/domain/tracking/labels/color.ts';
import { findLabel, listGroupLabels, listLabels } from '#src/domain/tracking/labels/list.ts';

export const Label = builder.prismaObject('Label', {
  description: 'A label for issues and merge requests, of a project, or of a group whose projects inherit it.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the label, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('Label', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the label, as the REST API uses it.' }),
    projectId: t.exposeInt('projectId', {
      nullable: true,
      description: 'Numeric ID of the project; null for the label of a group. See also `project`.',
    }),
    project: t.field(projectOfPlace),
    groupId: t.exposeInt('groupId', {
      nullable: true,
      description: 'Numeric ID of the group; null for the label of a project. See also `group`.',
    }),
    group: t.field(groupOfPlace),
    isProjectLabel: t.boolean({
      description: 'Whether the label belongs to a project, and is not inherited from a group.',
      select: { groupId: true },
      resolve: ({ groupId }) => groupId === null,
    }),
    title: t.exposeString('title', {
      description: 'Title of the label, unique within the project or group and without commas.',
    }),
    color: t.exposeString('color', { description: 'Colour as `#` with six hexadecimal digits: `#d9534f`.' }),
    textColor: t.string({
      description: 'Colour in which text is readable on the label: `#FFFFFF` or a dark grey.',
      select: { color: true },
      resolve: ({ color }) => textColor(color),
    }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What the label stands for, as plain text; null when unset.',
    }),
    priority: t.exposeInt('priorityThere', {
      nullable: true,
      description:
        'Priority of the label in the project: 0 or more, where 0 is the highest; null when unset, and for the label of a group that is not read from a project.',
    }),
    archived: t.exposeBoolean('archived', {
      description: 'Whether the label is no longer in use. It stays on what it was put on.',
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

const archived = 'Only labels that are archived, or only those that are not.';
const search = 'Only labels with this text in title or description, in any case.';

builder.objectFields(Project, (t) => {
  const ancestors = t.arg.boolean({
    required: true,
    defaultValue: true,
    description: 'Whether the labels of the groups around the project are among them.',
  });
  return {
    labels: t.field({
      type: LabelConnection,
      description: 'The labels of the project and of the groups around it, by title.',
      args: {
        ...pageArgs,
        ...labelFilter,
        ...labelOrder('TITLE', 'asc'),
        search: t.arg.string({ description: search }),
        archived: t.arg.boolean({ description: archived }),
        includeAncestorGroups: ancestors,
      },
      resolve: (project, args, context, info) => {
        context.loaders.noteProject(project);
        return pageBelow('Label', project, args, context, info, (_context, projects, page, selection) =>
          listLabels(context, projects, args, page, selection),
        );
      },
    }),
    label: t.field({
      type: Label,
      description: 'A label of the project, or of a group around it, by ID or title.',
      args: {
        ref: t.arg.string({ required: true, description: 'Numeric ID or title of the label.' }),
        includeAncestorGroups: ancestors,
      },
      resolve: (project, { ref, ...scope }, context, info) => {
        context.loaders.noteProject(project);
        return findLabel(context, { project, group: null }, { idOrTitle: ref }, selectionAt(info, 'Label'), scope);
      },
    }),
  };
});

builder.objectFields(Group, (t) => {
  const ancestors = t.arg.boolean({
    required: true,
    defaultValue: true,
    description: 'Whether the labels of the groups around the group are among them.',
  });
  return {
    labels: t.field({
      type: LabelConnection,
      description: 'The labels of the group and of the groups around it, by title.',
      args: {
        ...pageArgs,
        ...labelFilter,
        ...labelOrder('TITLE', 'asc'),
        search: t.arg.string({ description: search }),
        archived: t.arg.boolean({ description: archived }),
        includeAncestorGroups: ancestors,
        includeDescendantGroups: t.arg.boolean({
          required: true,
          defaultValue: false,
          description: 'Whether the labels of the groups inside that the caller can see are among them.',
        }),
        onlyGroupLabels: t.arg.boolean({
          required: true,
          defaultValue: true,
          description:
            'Whether the labels of projects are not among them; otherwise they are those of the projects in the group, and with `includeDescendantGroups` in the groups inside.',
        }),
      },
      resolve: (group, args, context, info) =>
        pageBelow('Label', group, args, context, info, (_context, groups, page, selection) =>
          listGroupLabels(context, groups, args, page, selection),
        ),
    }),
    label: t.field({
      type: Label,
      description: 'A label of the group, or of a group around it, by ID or title.',
      args: {
        ref: t.arg.string({ required: true, description: 'Numeric ID or title of the label.' }),
        includeAncestorGroups: ancestors,
      },
      resolve: (group, { ref, ...scope }, context, info) =>
        findLabel(context, { project: null, group }, { idOrTitle: ref }, selectionAt(info, 'Label'), scope),
    }),
  };
});
