import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { issueLinkFilter } from '#schema/filters.ts';
import { issueOf } from '#schema/issues/issue_of.ts';
import { Issue } from '#schema/issues/types.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node } from '#schema/node/types.ts';
import { issueLinkOrder } from '#schema/orders.ts';
import { loadBelow } from '#schema/records/below.ts';
import { findIssueLinksByIds, LINK, type LinkRow, listIssueLinks } from '#src/domain/tracking/issue_links/list.ts';
import { NotFound } from '#src/platform/errors.ts';

export const IssueLinkType = builder.enumType('IssueLinkType', {
  description: 'How two linked issues are related.',
  values: {
    RELATES_TO: { value: 'relates_to', description: 'Each is related to the other.' },
    BLOCKS: { value: 'blocks', description: 'The issue has to be done before the other one.' },
    IS_BLOCKED_BY: { value: 'is_blocked_by', description: 'The other issue has to be done before it.' },
  } as const,
});

/** A link, and the issue from which it was read, if any. */
interface Seen extends LinkRow {
  from?: number;
}

export const IssueLink = builder.objectRef<Seen>('IssueLink').implement({
  description: 'A link between two related issues, for those who can see both.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the link, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('IssueLink', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the link, as the REST API uses it.' }),
    linkType: t.field({
      type: IssueLinkType,
      description:
        'What the issue is to the other one: that of the list, or the source for links that are found in another way.',
      resolve: ({ type, from, targetId }) =>
        type === 'blocks' && from === targetId ? ('is_blocked_by' as const) : type,
    }),
    source: t.field({
      type: Issue,
      nullable: true,
      description: 'The issue that the link was created on.',
      resolve: ({ sourceId }, _args, context, info) => issueOf(context, info, sourceId),
    }),
    target: t.field({
      type: Issue,
      nullable: true,
      description: 'The issue that it was linked to.',
      resolve: ({ targetId }, _args, context, info) => issueOf(context, info, targetId),
    }),
    relatedIssue: t.field({
      type: Issue,
      nullable: true,
      description: 'The other one of the two issues, for links of an issue; null for links found in another way.',
      resolve: ({ from, sourceId, targetId }, _args, context, info) => {
        return from === undefined ? null : issueOf(context, info, from === sourceId ? targetId : sourceId);
      },
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the issues were linked.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the link last changed.' }),
  }),
});

const IssueLinkConnection = connectionOf<Seen>('IssueLink', IssueLink);

builder.prismaObjectFields(Issue, (t) => ({
  links: t.field({
    type: IssueLinkConnection,
    description: 'The links of the issue to issues that the caller can see, oldest first.',
    args: { ...pageArgs, ...issueLinkFilter, ...issueLinkOrder('ID', 'asc') },
    select: { id: true },
    resolve: async ({ id: from }, args, context, info) => {
      const page = await loadPage(args, info, (page) =>
        loadBelow(context, info, { page, selection: LINK }, from, (ids) => listIssueLinks(context, ids, page)),
      );
      return { ...page, nodes: page.nodes.map((link) => ({ ...link, from })) };
    },
  }),
  link: t.field({
    type: IssueLink,
    description: 'One of the `links` by its ID.',
    args: { id: t.arg({ ...idOf('IssueLink'), required: true, description: 'Global or numeric ID of the link.' }) },
    select: { id: true },
    resolve: async ({ id: from }, { id }, context) => {
      const [link] = await findIssueLinksByIds(context, [id], (project) => context.loaders.project.load(project));
      if (!link || (link.sourceId !== from && link.targetId !== from)) throw new NotFound('IssueLink');
      return { ...link, from };
    },
  }),
}));
