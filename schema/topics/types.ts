import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { topicFilter } from '#schema/filters.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { topicOrder } from '#schema/orders.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findTopic, listTopics, topicAvatarPath } from '#src/domain/projects/topics.ts';

export const Topic = builder.prismaObject('Topic', {
  description: 'What projects are about. Projects have the names of their topics in `tagList`.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the topic, for `node` and for the mutations of topics.',
      resolve: ({ id }) => toGlobalId('Topic', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the topic, as the REST API uses it.' }),
    name: t.exposeString('name', { description: 'Name of the topic in lists of projects; unique regardless of case.' }),
    title: t.exposeString('title', { description: 'What the topic is called in full.' }),
    description: t.exposeString('description', { nullable: true, description: 'What the topic is about.' }),
    projectsCount: t.exposeInt('visibleProjectsCount', {
      description: 'Number of projects with the topic that the caller can see.',
    }),
    avatarUrl: t.string({
      nullable: true,
      description: 'URL of the picture that was uploaded for the topic; null without one.',
      select: { avatarKey: true },
      resolve: ({ id, avatarKey }, _args, { baseUrl }) =>
        avatarKey === null ? null : baseUrl + topicAvatarPath(id, avatarKey),
    }),
  }),
});

const TopicConnection = connectionOf('Topic', Topic);

builder.queryFields((t) => ({
  topics: t.field({
    type: TopicConnection,
    description: 'All topics, those with the most projects that are not private first. Also for anonymous callers.',
    args: {
      ...pageArgs,
      ...topicFilter,
      ...topicOrder('PROJECTS_COUNT', 'desc'),
      search: t.arg.string({
        description: 'Only topics with this text in their name, in any case; the whole name below three characters.',
      }),
      withoutProjects: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Only topics that no project has; false does not filter.',
      }),
    },
    resolve: (_root, args, context, info) =>
      loadPage(args, info, (page) => listTopics(context, args, page, selectionAt(info, 'Topic'))),
  }),
  topic: t.field({
    type: Topic,
    description: 'The topic with that ID. Also for anonymous callers.',
    args: { id: t.arg({ ...idOf('Topic'), required: true, description: 'Global or numeric ID of the topic.' }) },
    resolve: (_root, { id }, context, info) => findTopic(context, id, selectionAt(info, 'Topic')),
  }),
}));
