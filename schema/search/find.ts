import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf, loadCountedPage, loadPage, type PageArgs, pageArgs } from '#schema/connection.ts';
import { Visibility } from '#schema/enums.ts';
import { Group, GroupConnection } from '#schema/groups/types.ts';
import { sortField } from '#schema/inputs.ts';
import { IssueStateFilter } from '#schema/issues/queries.ts';
import { IssueConnection } from '#schema/issues/types.ts';
import { MergeRequestStateFilter } from '#schema/merge_requests/queries.ts';
import { MergeRequestConnection } from '#schema/merge_requests/types.ts';
import { MilestoneConnection } from '#schema/milestones/types.ts';
import { NoteConnection } from '#schema/notes/types.ts';
import { ProjectConnection } from '#schema/projects/list.ts';
import { requireProject } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { SnippetConnection } from '#schema/snippets/types.ts';
import { UserConnection } from '#schema/users/types.ts';
import { numberIn, textToFind } from '#src/domain/administration/search_text.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import { listGroups, listRelatedGroups } from '#src/domain/groups/list.ts';
import { searchGroupUsers } from '#src/domain/members/users_of_group.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { listProjects } from '#src/domain/projects/list.ts';
import { listGroupProjects } from '#src/domain/projects/of_group.ts';
import { listProjectUsers } from '#src/domain/projects/users.ts';
import {
  type FoundFileRow,
  type FoundPage,
  searchCommits,
  searchFiles,
  searchWiki,
} from '#src/domain/repository/search.ts';
import { searchSnippets } from '#src/domain/snippets/list.ts';
import { listGroupIssues, listIssues, listIssuesOf } from '#src/domain/tracking/issues/list.ts';
import { listMergeRequestsOf } from '#src/domain/tracking/merge_requests/list.ts';
import { listMergeRequestsAcross } from '#src/domain/tracking/merge_requests/list_across.ts';
import { listMilestones } from '#src/domain/tracking/milestones/list.ts';
import { searchMilestones } from '#src/domain/tracking/milestones/search.ts';
import { searchNotes } from '#src/domain/tracking/notes/search.ts';
import { listUsers } from '#src/domain/users/list.ts';
import { Forbidden } from '#src/platform/errors.ts';
import type { Direction, Page, PageRequest } from '#src/platform/page.ts';

/** What is searched for, and where. */
export interface Search<Place> {
  /** Null finds nothing. */
  text: string | null;
  place: Place;
}

const TEXT =
  'The text to find, ignoring case: at most 4,096 characters. Texts of fewer than two characters, without the blanks around them, find nothing.';

const sorted = builder.args((t) => ({ ...pageArgs, sort: sortField(t, 'desc') }));

const issueArgs = builder.args((t) => ({
  ...sorted,
  state: t.field({ type: IssueStateFilter, description: 'Only issues in this state.' }),
  confidential: t.boolean({ description: 'Only confidential issues if true, only others if false.' }),
}));

const mergeRequestArgs = builder.args((t) => ({
  ...sorted,
  state: t.field({ type: MergeRequestStateFilter, description: 'Only merge requests in this state.' }),
}));

export const archived = builder.args((t) => ({
  includeArchived: t.boolean({
    required: true,
    defaultValue: false,
    description: 'Whether to search archived projects, too.',
  }),
}));

const by = (direction: Direction) => ({ by: 'created_at', direction }) as const;

const FoundGroupFilter = builder.inputType('FoundGroupFilter', {
  description: 'Which groups a search finds. All conditions must hold.',
  fields: (t) => ({
    visibility: t.field({ type: Visibility, description: 'Only groups with this visibility.' }),
    topLevelOnly: t.boolean({ description: 'Whether to find groups without a parent alone.' }),
  }),
});

const groupArgs = builder.args((t) => ({
  ...pageArgs,
  sort: sortField(t, 'asc'),
  filter: t.field({ type: FoundGroupFilter, description: 'Which groups are found; all if left out.' }),
}));

const byName = (direction: Direction) => ({ by: 'name', direction }) as const;

/** No records. */
const nothing = ({ offset }: PageRequest) => ({ nodes: [], offset, total: 0 });

/** The page of what `load` finds for the text. */
export function pageFor<T>(
  { text }: Search<unknown>,
  args: PageArgs,
  info: GraphQLResolveInfo,
  load: (text: string, page: PageRequest) => Promise<Page<T>>,
) {
  return loadPage<T>(args, info, async (page) => (text === null ? nothing(page) : load(text, page)));
}

export const ServerSearch = builder.objectRef<Search<null>>('ServerSearch').implement({
  description: 'The results of a search of the whole server, as far as the caller can see them.',
  fields: (t) => ({
    projects: t.field({
      type: ProjectConnection,
      description: 'Projects with all words of the text in path, name, description or name of the namespace.',
      args: { ...sorted, ...archived },
      resolve: (search, args, context, info) =>
        pageFor(search, args, info, (text, page) =>
          listProjects(context, projectsWith(text, args), page, selectionAt(info, 'Project')),
        ),
    }),
    groups: t.field({
      type: GroupConnection,
      description: 'Groups with the text in name or path, by name.',
      args: groupArgs,
      resolve: (search, args, context, info) =>
        pageFor(search, args, info, (text, page) => {
          const wanted = { ...args.filter, search: text, allAvailable: true };
          return listGroups(context, wanted, byName(args.sort), page, selectionAt(info, 'Namespace'));
        }),
    }),
    issues: t.field({
      type: IssueConnection,
      description: 'Issues with the text in title or description.',
      args: { ...issueArgs, ...archived },
      resolve: (search, args, context, info) =>
        pageFor(search, args, info, (text, page) =>
          listIssues(context, filterOf(text, args), by(args.sort), page, selectionAt(info, 'Issue')),
        ),
    }),
    mergeRequests: t.field({
      type: MergeRequestConnection,
      description: 'Merge requests with the text in title or description.',
      args: { ...mergeRequestArgs, ...archived },
      resolve: (search, args, context, info) =>
        pageFor(search, args, info, async (text, page) => {
          const [filter, selection] = [filterOf(text, args), selectionAt(info, 'MergeRequest')];
          const parents = [{ group: null }];
          const [found] = await listMergeRequestsAcross(context, parents, filter, by(args.sort), page, selection);
          return found ?? nothing(page);
        }),
    }),
    milestones: t.field({
      type: MilestoneConnection,
      description: 'Milestones with the text in title or description, newest first.',
      args: { ...pageArgs, ...archived },
      resolve: (search, args, context, info) =>
        pageFor(search, args, info, (text, page) => {
          const wanted = { text, nonArchived: !args.includeArchived };
          return searchMilestones(context, wanted, page, selectionAt(info, 'Milestone'));
        }),
    }),
    snippets: t.field({
      type: SnippetConnection,
      description: 'Snippets with the text in the title, newest first.',
      args: { ...pageArgs, ...archived },
      resolve: (search, args, context, info) =>
        pageFor(search, args, info, (text, page) => {
          const wanted = { text, nonArchived: !args.includeArchived };
          return searchSnippets(context, wanted, page, selectionAt(info, 'Snippet'));
        }),
    }),
    users: t.field({
      type: UserConnection,
      description:
        'Users with the text in name or username, or as their whole public e-mail address; administrators also find by parts of primary addresses. Newest first.',
      args: pageArgs,
      resolve: (search, args, context, info) =>
        pageFor(search, args, info, (text, page) =>
          listUsers(context, { search: text }, page, selectionAt(info, 'User')),
        ),
    }),
  }),
});

export const GroupSearch = builder.objectRef<Search<GroupRow>>('GroupSearch').implement({
  description:
    'What has a text in a group, in the groups inside it and in their projects, as far as the caller can see it.',
  fields: (t) => ({
    projects: t.field({
      type: ProjectConnection,
      description: 'Projects with all words of the text in path, name, description or name of the namespace.',
      args: { ...sorted, ...archived },
      resolve: (search, args, context, info) =>
        pageFor(search, args, info, async (text, page) => {
          const [groups, list] = [[search.place], projectsWith(text, args)];
          const selection = selectionAt(info, 'Project');
          const [found] = await listGroupProjects(context, groups, { own: 'all' }, list, page, selection);
          return found ?? nothing(page);
        }),
    }),
    groups: t.field({
      type: GroupConnection,
      description: 'Groups on all levels inside the group with the text in name or path, by name.',
      args: groupArgs,
      resolve: ({ text, place }, args, context, info) =>
        pageBelow('Namespace', place, args, context, info, async (_context, groups, page, selection) =>
          text === null
            ? groups.map(() => nothing(page))
            : listRelatedGroups(
                context,
                groups,
                'descendants',
                { filter: { ...args.filter, search: text }, by: byName(args.sort) },
                page,
                selection,
              ),
        ),
    }),
    issues: t.field({
      type: IssueConnection,
      description: 'Issues with the text in title or description.',
      args: { ...issueArgs, ...archived },
      resolve: (search, args, context, info) =>
        pageFor(search, args, info, (text, page) =>
          listGroupIssues(context, search.place, filterOf(text, args), by(args.sort), page, selectionAt(info, 'Issue')),
        ),
    }),
    mergeRequests: t.field({
      type: MergeRequestConnection,
      description: 'Merge requests with the text in title or description.',
      args: { ...mergeRequestArgs, ...archived },
      resolve: (search, args, context, info) =>
        pageFor(search, args, info, async (text, page) => {
          const [filter, selection] = [filterOf(text, args), selectionAt(info, 'MergeRequest')];
          const parents = [{ group: search.place }];
          const [found] = await listMergeRequestsAcross(context, parents, filter, by(args.sort), page, selection);
          return found ?? nothing(page);
        }),
    }),
    milestones: t.field({
      type: MilestoneConnection,
      description: 'Milestones of groups and projects with the text in title or description, newest first.',
      args: { ...pageArgs, ...archived },
      resolve: (search, args, context, info) =>
        pageFor(search, args, info, (text, page) => {
          const wanted = { text, group: search.place, nonArchived: !args.includeArchived };
          return searchMilestones(context, wanted, page, selectionAt(info, 'Milestone'));
        }),
    }),
    users: t.field({
      type: UserConnection,
      description:
        'Members of the group, of the groups around and inside it and of projects inside, with the text in name or username, or as their whole public e-mail address. Newest first.',
      args: pageArgs,
      resolve: (search, args, context, info) =>
        pageFor(search, args, info, (text, page) =>
          searchGroupUsers(context, search.place, text, page, selectionAt(info, 'User')),
        ),
    }),
  }),
});

const FoundFile = builder.objectRef<FoundFileRow>('FoundFile').implement({
  description: 'A file in which a search found a text, or whose path has it.',
  fields: (t) => ({
    path: t.string({
      description: 'Path from the root of the repository, without a leading slash.',
      resolve: ({ path }) => path.toWellFormed(),
    }),
    basename: t.string({
      description: 'The path without the ending of the file name.',
      resolve: ({ path }) => path.toWellFormed().replace(/(?<=[^/])\.[^./]*$/, ''),
    }),
    ref: t.exposeString('ref', { description: 'The branch, tag or hash that was searched.' }),
    startLine: t.exposeInt('startLine', { description: 'Number of the first line of `data`, from 1.' }),
    data: t.exposeString('data', {
      description:
        'The first line with the text, with up to three lines before and after it; the first lines of a file that was found by its path. Long lines are cut off.',
    }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field({
      type: Project,
      description: 'The project that has the file.',
      resolve: ({ projectId }, _args, context, info) => requireProject(context, info, projectId),
    }),
  }),
});

const FoundFileConnection = connectionOf<FoundFileRow>('FoundFile', FoundFile);
export const FoundCommitConnection = connectionOf('FoundCommit', Commit);

/** Lets the list of what a search has found say whether there may be more. */
export function sayLimited<T extends object>(connection: ReturnType<typeof connectionOf<T>>): void {
  builder.objectField(connection, 'limited', (t) =>
    t.boolean({
      description:
        'Whether the search ended before it had looked at everything: after five seconds, or a thousand hits. There may be more.',
      resolve: (page) => 'isLimited' in page && page.isLimited === true,
    }),
  );
}

sayLimited(FoundFileConnection);
sayLimited(FoundCommitConnection);

const refArgs = builder.args((t) => ({
  ...pageArgs,
  ref: t.string({ description: 'A branch, a tag or a hash; the default branch when left out.' }),
}));

export const ProjectSearch = builder.objectRef<Search<ProjectRow>>('ProjectSearch').implement({
  description:
    'What has a text in a project, as far as the caller can see it: nothing of what is disabled, or what the caller may not read.',
  fields: (t) => ({
    issues: t.field({
      type: IssueConnection,
      description: 'Issues with the text in title or description; `#12` finds issue 12.',
      args: issueArgs,
      resolve: ({ text, place: project }, args, context, info) =>
        pageBelow('Issue', { project }, args, context, info, (_context, parents, page, selection) =>
          text === null
            ? Promise.resolve(parents.map(() => nothing(page)))
            : listIssuesOf(
                context,
                parents,
                { state: args.state, confidential: args.confidential, ...textOrNumber(text, '#') },
                by(args.sort),
                page,
                selection,
              ),
        ),
    }),
    mergeRequests: t.field({
      type: MergeRequestConnection,
      description: 'Merge requests with the text in title or description; `!12` finds merge request 12.',
      args: mergeRequestArgs,
      resolve: ({ text, place: project }, args, context, info) =>
        pageBelow('MergeRequest', { project }, args, context, info, async (_context, parents, page, selection) => {
          if (text === null) return parents.map(() => nothing(page));
          const filter = { state: args.state, ...textOrNumber(text, '!') };
          const found = await listMergeRequestsOf(context, parents, filter, by(args.sort), page, selection);
          return found.map((one) => (one instanceof Forbidden ? nothing(page) : one));
        }),
    }),
    milestones: t.field({
      type: MilestoneConnection,
      description: 'Milestones with the text in title or description, newest first.',
      args: pageArgs,
      resolve: ({ text, place: project }, args, context, info) =>
        pageBelow('Milestone', project, args, context, info, async (_context, projects, page, selection) => {
          if (text === null) return projects.map(() => nothing(page));
          const found = await listMilestones(context, projects, { search: text }, page, selection);
          return found.map((one) => (one instanceof Forbidden ? nothing(page) : one));
        }),
    }),
    users: t.field({
      type: UserConnection,
      description:
        'Users who work on the project, with the text in name or username, or as their whole public e-mail address. Newest first.',
      args: pageArgs,
      resolve: (search, args, context, info) =>
        pageFor(search, args, info, (text, page) =>
          listProjectUsers(context, search.place, { search: text }, page, selectionAt(info, 'User')),
        ),
    }),
    notes: t.field({
      type: NoteConnection,
      description:
        'Comments with the text, on issues, merge requests, snippets and commits that the caller can see. No system notes.',
      args: sorted,
      resolve: (search, args, context, info) =>
        pageFor(search, args, info, (text, page) =>
          searchNotes(context, search.place, text, args.sort, page, selectionAt(info, 'Note')),
        ),
    }),
    commits: t.field({
      type: FoundCommitConnection,
      description:
        'Commits with the text in a line of their message, newest first, then the one whose hash begins so (7 digits or more).',
      args: refArgs,
      resolve: (search, args, context, info) =>
        foundPage(search, args, info, (text, page) => searchCommits(context, search.place, { ...args, text }, page)),
    }),
    files: t.field({
      type: FoundFileConnection,
      description:
        'Text files with the text in a line, then those with the text in their path. `filename:`, `path:` and `extension:` in the text are filters, in which `*` stands for any characters: `button extension:ts path:src/*/web`.',
      args: refArgs,
      resolve: (search, args, context, info) =>
        foundPage(search, args, info, (text, page) => searchFiles(context, search.place, { ...args, text }, page)),
    }),
    wikiFiles: t.field({
      type: FoundFileConnection,
      description:
        'Files of the wiki with the text in a line, then those with the text in their path; none for those who cannot read it.',
      args: pageArgs,
      resolve: (search, args, context, info) =>
        foundPage(search, args, info, (text, page) => searchWiki(context, search.place, text, page)),
    }),
  }),
});

const searchArg = { type: 'String', required: true, description: TEXT } as const;

builder.queryFields((t) => ({
  find: t.field({
    type: ServerSearch,
    description: 'Searches the whole server for a text.',
    args: { search: t.arg(searchArg) },
    resolve: (_root, { search }, context) => ({ text: textToFind(context, search), place: null }),
  }),
}));

builder.objectFields(Group, (t) => ({
  find: t.field({
    type: GroupSearch,
    description: 'Searches the group for a text.',
    args: { search: t.arg(searchArg) },
    resolve: (group, { search }, context) => ({ text: textToFind(context, search), place: group }),
  }),
}));

builder.objectFields(Project, (t) => ({
  find: t.field({
    type: ProjectSearch,
    description: 'Searches the project for a text.',
    args: { search: t.arg(searchArg) },
    resolve: (project, { search }, context) => {
      const text = textToFind(context, search);
      context.loaders.noteProject(project);
      return { text, place: project };
    },
  }),
}));

/** Like pageFor, for what is found in a repository. */
export function foundPage<T>(
  { text }: Search<unknown>,
  args: PageArgs,
  info: GraphQLResolveInfo,
  load: (text: string, page: PageRequest) => Promise<FoundPage<T>>,
  isLongCount = false,
) {
  const find = async (page: PageRequest) => (text === null ? nothing(page) : load(text, page));
  return loadCountedPage<T>(args, info, find, isLongCount);
}

function textOrNumber(text: string, sign: '#' | '!'): { search: string } | { iids: number[] } {
  const number = numberIn(text, sign);
  return number === null ? { search: text } : { iids: [number] };
}

function projectsWith(search: string, { sort, includeArchived }: { sort: Direction; includeArchived: boolean }) {
  return { filter: { search, ...(includeArchived ? {} : { archived: false }) }, order: by(sort) };
}

/** The filter for what has a text. */
function filterOf<State>(search: string, { state, confidential, includeArchived }: Wanted<State>) {
  return { search, state, confidential, nonArchived: !includeArchived };
}

interface Wanted<State> {
  state?: State;
  confidential?: boolean | null | undefined;
  includeArchived: boolean;
}
