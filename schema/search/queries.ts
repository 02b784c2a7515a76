import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import { connectionOf, loadCountedPage, loadPage, pageArgs } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { Group } from '#schema/groups/types.ts';
import { Issue } from '#schema/issues/types.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { Milestone } from '#schema/milestones/types.ts';
import { Project } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { Snippet } from '#schema/snippets/types.ts';
import { User } from '#schema/users/types.ts';
import { searchText } from '#src/domain/administration/search_text.ts';
import { listGroups } from '#src/domain/groups/list.ts';
import { listProjects } from '#src/domain/projects/list.ts';
import { searchSnippets } from '#src/domain/snippets/list.ts';
import { searchIssues } from '#src/domain/tracking/issues/search.ts';
import { listMergeRequestsAcross } from '#src/domain/tracking/merge_requests/list_across.ts';
import { searchMilestones } from '#src/domain/tracking/milestones/search.ts';
import { listUsers } from '#src/domain/users/list.ts';
import { BadRequest } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { onlyOne } from '#src/platform/records/parents.ts';

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
    MERGE_REQUEST: {
      value: 'MergeRequest',
      description: 'Merge requests with the text in title or description, newest first.',
    },
    SNIPPET: { value: 'Snippet', description: 'Snippets with the text in the title, newest first.' },
  } as const,
});

type Found = { id: number; __typename: string };

const SearchResult = builder.unionType('SearchResult', {
  description: 'A record found by a search.',
  types: [Project, Group, User, Issue, Milestone, MergeRequest, Snippet],
  resolveType: (found) => (found as Found).__typename,
});

const SearchResultConnection = connectionOf<Found>('SearchResult', SearchResult as never);

type Search = (
  context: GraphQLContext,
  text: string,
  page: PageRequest,
  info: GraphQLResolveInfo,
) => Promise<Page<{ id: number }>>;

const NEWEST_FIRST = { by: 'created_at', direction: 'desc' } as const;

/** The searchable lists, each with its usual visibility. */
const SEARCHES: Record<(typeof SearchType)['$inferType'], Search> = {
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
  MergeRequest: async (context, search, page, info) => {
    const selection = selectionAt(info, 'MergeRequest');
    const found = await listMergeRequestsAcross(context, [{ group: null }], { search }, NEWEST_FIRST, page, selection);
    return onlyOne(found);
  },
  Snippet: (context, text, page, info) => searchSnippets(context, { text }, page, selectionAt(info, 'Snippet')),
};

type Kind = keyof typeof SEARCHES;

/** All kinds; to visitors the list of users is closed. */
function kindsFor({ actor }: GraphQLContext): Kind[] {
  const kinds = Object.keys(SEARCHES) as Kind[];
  return actor === null ? kinds.filter((kind) => kind !== 'User') : kinds;
}

/** A page of the hits of several kinds, which take turns: the first of each, the second of each, and so on. */
async function mixed(
  kinds: readonly Kind[],
  { offset, limit }: PageRequest,
  search: (kind: Kind, page: PageRequest) => Promise<Page<{ id: number }>>,
): Promise<Page<Found>> {
  const totals = await Promise.all(
    kinds.map(async (kind) => (await search(kind, { offset: 0, limit: 0, withTotal: true })).total ?? 0),
  );
  const total = totals.reduce((sum, one) => sum + one, 0);
  const turns = turnsOf(totals, offset, Math.min(total, offset + limit));
  const parts = await Promise.all(
    kinds.map(async (kind, at) => {
      const ranks = turns.filter((turn) => turn.at === at).map(({ rank }) => rank);
      const [first] = ranks;
      if (first === undefined) return [];
      const { nodes } = await search(kind, { offset: first, limit: ranks.length, withTotal: false });
      return nodes.map((node) => ({ ...node, __typename: kind }));
    }),
  );
  return { nodes: turns.flatMap(({ at }) => parts[at]?.shift() ?? []), offset, total };
}

/** Whose turn it is at the places from one to before another: the index of the kind, and which of its hits. */
export function turnsOf(totals: readonly number[], from: number, to: number): { at: number; rank: number }[] {
  const turns: { at: number; rank: number }[] = [];
  let place = 0;
  for (let rank = 0; place < to; rank++) {
    for (const [at, total] of totals.entries()) {
      if (total <= rank) continue;
      if (place >= from && place < to) turns.push({ at, rank });
      place++;
    }
  }
  return turns;
}

builder.queryFields((t) => ({
  search: t.field({
    type: SearchResultConnection,
    description:
      'Searches records for a text, among everything that the caller can see: of one type, or of several, whose hits take turns on a page.',
    args: {
      ...pageArgs,
      query: t.arg.string({
        required: true,
        description:
          'The text to search for, regardless of case: at most 255 characters, with at least three letters or digits in a row.',
      }),
      type: t.arg({ type: SearchType, description: 'Type of the records to search.' }),
      types: t.arg({
        type: [SearchType],
        description: 'Types of the records to search, each at most once; all if neither this nor `type` is given.',
      }),
    },
    resolve: (_root, { query, type, types, ...args }, context, info) => {
      const text = searchText(query);
      if (type != null && types != null) throw new BadRequest('type and types cannot be given together');
      if (type == null) {
        const kinds = types == null ? kindsFor(context) : [...new Set(types)];
        return loadCountedPage(args, info, (page) =>
          mixed(kinds, page, (kind, part) => SEARCHES[kind](context, text, part, info)),
        );
      }
      return loadPage(args, info, async (page) => {
        const found = await SEARCHES[type](context, text, page, info);
        return { ...found, nodes: found.nodes.map((node) => ({ ...node, __typename: type })) };
      });
    },
  }),
}));
