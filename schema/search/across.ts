import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { groupOf } from '#schema/groups/group_of.ts';
import { Group } from '#schema/groups/types.ts';
import { sortField } from '#schema/inputs.ts';
import { NoteConnection } from '#schema/notes/types.ts';
import { requireProject } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import {
  FoundCommitConnection,
  foundPage,
  GroupSearch,
  pageFor,
  ServerSearch,
  sayLimited,
} from '#schema/search/find.ts';
import {
  type FoundWikiFileRow,
  type SearchedPlaces,
  searchCommitsAcross,
  searchWikisAcross,
} from '#src/domain/repository/search_across.ts';
import { searchNotesAcross } from '#src/domain/tracking/notes/search_across.ts';
import type { Direction } from '#src/platform/page.ts';

const FoundWikiFile = builder.objectRef<FoundWikiFileRow>('FoundWikiFile').implement({
  description: 'A file of the wiki of a project or group in which a search found a text, or whose path has it.',
  fields: (t) => ({
    path: t.string({
      description: 'Path from the root of the wiki, without a leading slash.',
      resolve: ({ path }) => path.toWellFormed(),
    }),
    basename: t.string({
      description: 'The path without the ending of the file name.',
      resolve: ({ path }) => path.toWellFormed().replace(/(?<=[^/])\.[^./]*$/, ''),
    }),
    ref: t.exposeString('ref', { description: 'The branch of the wiki that was searched.' }),
    startLine: t.exposeInt('startLine', { description: 'Number of the first line of `data`, from 1.' }),
    data: t.exposeString('data', {
      description:
        'The first line with the text, with up to three lines before and after it; the first lines of a file that was found by its path. Long lines are cut off.',
    }),
    projectId: t.exposeInt('projectId', {
      nullable: true,
      description: 'Numeric ID of the project; null for the wiki of a group.',
    }),
    groupId: t.exposeInt('groupId', {
      nullable: true,
      description: 'Numeric ID of the group; null for the wiki of a project.',
    }),
    project: t.field({
      type: Project,
      nullable: true,
      description: 'The project whose wiki has the file; null for the wiki of a group.',
      resolve: ({ projectId }, _args, context, info) =>
        projectId === null ? null : requireProject(context, info, projectId),
    }),
    group: t.field({
      type: Group,
      nullable: true,
      description: 'The group whose wiki has the file; null for the wiki of a project.',
      resolve: ({ groupId }, _args, context, info) => (groupId === null ? null : groupOf(context, info, groupId)),
    }),
  }),
});

const FoundWikiFileConnection = connectionOf<FoundWikiFileRow>('FoundWikiFile', FoundWikiFile);

sayLimited(FoundWikiFileConnection);

const FoundAcrossFilter = builder.inputType('FoundAcrossFilter', {
  description: 'In which projects a search looks. All conditions must hold.',
  fields: (t) => ({
    includeArchived: t.boolean({ description: 'Whether to search archived projects, too; not when left out.' }),
  }),
});

interface Wanted {
  filter?: { includeArchived?: boolean | null | undefined } | null | undefined;
}

function placesOf({ filter }: Wanted): { includeArchived: boolean } {
  return { includeArchived: filter?.includeArchived ?? false };
}

const acrossArgs = (usual: Direction) =>
  builder.args((t) => ({
    ...pageArgs,
    sort: sortField(t, usual),
    filter: t.field({
      type: FoundAcrossFilter,
      description: 'Where to search; everywhere but in archived projects if left out.',
    }),
  }));
const [byTime, byPath] = [acrossArgs('desc'), acrossArgs('asc')];

const WHERE = {
  server: { of: 'projects', wikis: 'all wikis' },
  group: {
    of: 'projects in the group and the groups inside it',
    wikis: 'the wikis of the group, of the groups inside it and of their projects',
  },
};

/** The fields that search many repositories, and the notes of many projects, on the whole server or in a group. */
for (const { on, places, said } of [
  {
    on: ServerSearch,
    said: WHERE.server,
    places: (_search: unknown, wanted: Wanted): SearchedPlaces => placesOf(wanted),
  },
  {
    on: GroupSearch,
    said: WHERE.group,
    places: (search: { place: { id: number } | null }, wanted: Wanted): SearchedPlaces => ({
      group: search.place ?? undefined,
      ...placesOf(wanted),
    }),
  },
]) {
  builder.objectFields(on as typeof ServerSearch, (t) => ({
    notes: t.field({
      type: NoteConnection,
      description: `Comments with the text on issues, merge requests, snippets and commits of ${said.of}, as far as the caller can see them. Of all notes with the text on the server, the newest 5,000 are looked at. No system notes.`,
      args: byTime,
      resolve: (search, { filter, sort, ...args }, context, info) =>
        pageFor(search, args, info, (text, page) =>
          searchNotesAcross(context, places(search, { filter }), text, sort, page, selectionAt(info, 'Note')),
        ),
    }),
    commits: t.field({
      type: FoundCommitConnection,
      description: `Commits of the default branches of ${said.of} with the text in a line of their message, by time. The 200 most recently active ones are searched.`,
      args: byTime,
      resolve: (search, { filter, sort, ...args }, context, info) =>
        foundPage(
          search,
          args,
          info,
          (text, page) => searchCommitsAcross(context, places(search, { filter }), { text, sort }, page),
          true,
        ),
    }),
    wikiFiles: t.field({
      type: FoundWikiFileConnection,
      description: `Files of ${said.wikis} that the caller can read, with the text in a line or in their path, by path.`,
      args: byPath,
      resolve: (search, { filter, sort, ...args }, context, info) =>
        foundPage(
          search,
          args,
          info,
          (text, page) => searchWikisAcross(context, places(search, { filter }), { text, sort }, page),
          true,
        ),
    }),
  }));
}
