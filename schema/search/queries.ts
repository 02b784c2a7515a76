import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { Group } from '#schema/groups/types.ts';
import { Issue } from '#schema/issues/types.ts';
import { Milestone } from '#schema/milestones/types.ts';
import { Project } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { User } from '#schema/users/types.ts';
import { searchText } from '#src/domain/administration/search_text.ts';
import { listGroups } from '#src/domain/groups/list.ts';
import { listProjects } from '#src/domain/projects/list.ts';
import { searchIssues } from '#src/domain/tracking/issues/search.ts';
import { searchMilestones } from '#src/domain/tracking/milestones/search.ts';
import { listUsers } from '#src/domain/users/list.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';

const SearchType = builder.enumType('SearchType', {
  description: 'A type of record to search.',
  values: {
    PROJECT: {
      value: 'Project',
      description:
        'Projects with the text in path, name, description or name of the namespace, most recently active first.',
    },
    GROUP: { value: 'Group', description: 'Groups with the text in name or path, by name.' },
    USER: {
      value: 'User',
      description:
        'Users with the text in name or username, or as their whole public e-mail address, newest first. For signed-in callers.',
    },
    ISSUE: {
      value: 'Issue',
      description:
        'Issues with the text in title or description, newest first; for very common texts, only the newest 1,000.',
    },
    MILESTONE: {
      value: 'Milestone',
      description: 'Milestones with the text in title or description, newest first.',
    },
  } as const,
});

type Found = { id: number; __typename: string };

const SearchResult = builder.unionType('SearchResult', {
  description: 'A record found by a search.',
  types: [Project, Group, User, Issue, Milestone],
  resolveType: (found) => (found as Found).__typename,
});

const SearchResultConnection = connectionOf<Found>('SearchResult', SearchResult as never);

type Search = (
  context: GraphQLContext,
  text: string,
  page: PageRequest,
  info: GraphQLResolveInfo,
) => Promise<Page<{ id: number }>>;

/** The searchable lists, each with its usual visibility. */
const SEARCHES: Record<'Project' | 'Group' | 'User' | 'Issue' | 'Milestone', Search> = {
  Project: (context, search, page, info) => {
    const list = { filter: { search }, order: { by: 'last_activity_at', direction: 'desc' } } as const;
    return listProjects(context, list, page, selectionAt(info, 'Project'));
  },
  Group: (context, search, page, info) => {
    const filter = { search, allAvailable: true };
    return listGroups(context, filter, { by: 'name', direction: 'asc' }, page, selectionAt(info, 'Namespace'));
  },
  User: (context, search, page, info) => listUsers(context, { search }, page, selectionAt(info, 'User')),
  Issue: (context, text, page, info) => searchIssues(context, text, page, selectionAt(info, 'Issue')),
  Milestone: (context, text, page, info) => searchMilestones(context, { text }, page, selectionAt(info, 'Milestone')),
};

builder.queryFields((t) => ({
  search: t.field({
    type: SearchResultConnection,
    description: 'Searches records of one type for a text, among everything that the caller can see.',
    args: {
      ...pageArgs,
      query: t.arg.string({
        required: true,
        description:
          'The text to search for, regardless of case: at most 255 characters, with at least three letters or digits in a row.',
      }),
      type: t.arg({ type: SearchType, required: true, description: 'Type of the records to search.' }),
    },
    resolve: (_root, { query, type, ...args }, context, info) => {
      const text = searchText(query);
      return loadPage(args, info, async (page) => {
        const found = await SEARCHES[type](context, text, page, info);
        return { ...found, nodes: found.nodes.map((node) => ({ ...node, __typename: type })) };
      });
    },
  }),
}));
