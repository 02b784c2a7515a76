import * as helpers from '#pages/engine/helpers.ts';
import { form, page, raw } from '#pages/engine/row.ts';
import {
  BlamePageDocument,
  type CodeOwnersErrorKind,
  FilePageDocument,
  FindFilePageDocument,
  ForkListPageDocument,
  ForkPageDocument,
  LineHistoryPageDocument,
  ProjectHomePageDocument,
  RawArchivesDocument,
  RawFileDocument,
  SearchedRefDocument,
  SendForkDocument,
  SendStarDocument,
  SendUnstarDocument,
  SendWatchDocument,
  SwitchRefDocument,
  TreePageDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

interface Place {
  ref: string;
  path: string;
}

/** What is wrong with lines of files of code owners, in words. */
const PROBLEMS_OF_OWNERS: Record<CodeOwnersErrorKind, string> = {
  MISSING_SECTION_NAME: label('the section has no name'),
  INVALID_APPROVAL_REQUIREMENT: label('the number of approvals must be from 1 to 100'),
  INVALID_SECTION_FORMAT: label('the brackets of the section do not match'),
  INVALID_SECTION_OWNER_FORMAT: label('an owner of the section is neither a name with @ nor an email address'),
  MISSING_ENTRY_OWNER: label('the pattern has no owners'),
  INVALID_ENTRY_OWNER_FORMAT: label('an owner is neither a name with @ nor an email address'),
  PATTERN_TOO_LONG: label('the pattern is longer than 255 characters'),
  TOO_MANY_ENTRIES: label('there are too many entries: this one and those below are not read'),
  UNKNOWN_OWNER: label('an owner is no user, role or group of this project'),
  FILE_TOO_LARGE: label('the file is larger than 256 KB and is not read'),
};

/** The address of a directory (`tree`) or file (`blob`, `raw`, …). */
function addressOf(fullPath: string, page: string, { ref, path }: Place): string {
  return `${helpers.path(fullPath)}/-/${page}${helpers.path(ref, ...(path === '' ? [] : [path]))}`;
}

/** A page of a directory or file, where something else is at the place. */
function redirectTo(fullPath: string, wanted: 'tree' | 'blob', at: Place & { type: string }): string | null {
  const actual = at.type === 'BLOB' ? 'blob' : 'tree';
  return actual === wanted ? null : addressOf(fullPath, actual, at);
}

function goHome({ project }: { project: { fullPath: string } }): string {
  return helpers.path(project.fullPath);
}

/** Files of an archive by their names, in the order in which they are looked for. */
const ARCHIVES = [
  ['.zip', 'zip'],
  ['.tar.gz', 'tarGz'],
  ['.tar.bz2', 'tarBz2'],
  ['.tar', 'tar'],
] as const;

/** What the last part of an address asks for: `v1/project-v1.tar.gz`, or `v1.tar.gz`. */
function archiveNamed(name: unknown) {
  const text = String(name);
  const [ending, format] = ARCHIVES.find(([one]) => text.endsWith(one)) ?? [];
  const ref = ending ? text.slice(0, -ending.length) : text;
  return { format, ref, around: ref.includes('/') ? ref.slice(0, ref.lastIndexOf('/')) : ref };
}

/** Commits of a history of lines, as it is shown first, and at most. */
const USUAL_CHANGES = 20;
const MAX_CHANGES = 100;

function numberOf(given: unknown, usual: number): number {
  return Number([given ?? usual].flat().at(-1));
}

const titleOf = (name: string, { ref, path }: Place, fullPath: string) =>
  [name, path, ref, fullPath].filter((part) => part !== '').join(' · ');

/** Of what happens in a project somebody is told, as the menu of its page has them. */
const WATCHED = [
  ['GLOBAL', label('Default'), label('As set for the group, or else for all projects')],
  ['PARTICIPATING', label('Participating'), label('Where you take part or are mentioned')],
  ['WATCH', label('All activity'), label('Everything that happens here')],
  ['MENTION', label('On mention'), label('On mention')],
  ['DISABLED', label('Ignore'), label('Nothing at all')],
] as const;

const fork = page({
  path: '/:project/-/forks/new',
  operation: ForkPageDocument,
  view: 'project/fork',
  found: ({ project, viewer, namespaces }) =>
    project?.viewerCanFork && viewer ? { project, viewer, namespaces } : null,
  title: ({ project }, { t }) => `${t('Fork the project')} · ${project.fullPath}`,
  show: ({ project, viewer, namespaces }) => ({ project, viewer, namespaces: namespaces.nodes, tab: 'code' }),
  signIn: true,
});

/** Where the repository is empty, and to callers who cannot read it, the home page shows what it has. */
export const home = [
  page({
    path: '/:project',
    operation: ProjectHomePageDocument,
    view: 'project/home',
    found: ({ project, about }) => project && { project, about },
    title: ({ project }) => project.fullPath,
    show: ({ project, about }) => ({
      ...{ project, about },
      tab: 'code',
      repository: project.repository,
      at: project.repository?.at ?? null,
      levels: WATCHED,
    }),
    feed: ({ project }) => `${helpers.path(project.fullPath)}.atom`,
    pageSize: 100,
  }),
  form({
    path: '/:project/-/star',
    operation: SendStarDocument,
    says: label('You starred the project.'),
    goTo: ({ starProject }) => goHome(starProject as never),
  }),
  form({
    path: '/:project/-/unstar',
    operation: SendUnstarDocument,
    says: label('You no longer star the project.'),
    goTo: ({ unstarProject }) => goHome(unstarProject as never),
  }),
  form({
    path: '/:project/-/watch',
    operation: SendWatchDocument,
    required: ['level'],
    says: label('Your notifications are saved.'),
    goTo: ({ updateProjectNotificationSetting }) => goHome(updateProjectNotificationSetting as never),
  }),
  page({
    path: '/:project/-/forks',
    operation: ForkListPageDocument,
    view: 'project/forks',
    found: ({ project }) => project,
    title: (project, { t }) => `${t('Forks')} · ${project.fullPath}`,
    show: (project) => ({ project, forks: project.forks, tab: 'code' }),
  }),
  fork,
  form({
    path: '/:project/-/forks/new',
    operation: SendForkDocument,
    says: label('The project was forked. Its repository is copied now.'),
    variables: (given) => {
      const [name, path] = [given.name, given.path].map((text) => (text === '' ? undefined : text));
      return { ...given, name, path };
    },
    goTo: ({ forkProject }) => goHome(forkProject as never),
    again: fork,
  }),
];

export const repository = [
  page({
    path: '/:project/-/switch',
    operation: SwitchRefDocument,
    view: 'error',
    found: ({ project }) => project?.repository?.at && { fullPath: project.fullPath, at: project.repository.at },
    title: () => '',
    show: () => ({}),
    redirectTo: ({ fullPath, at }) => addressOf(fullPath, at.type === 'BLOB' ? 'blob' : 'tree', at),
  }),
  // What is no branch or tag, or only a part of its name, is looked for.
  page({
    path: '/:project/-/switch',
    operation: SearchedRefDocument,
    view: 'error',
    found: ({ project }) => (project?.viewerCanReadRepository ? project : null),
    title: () => '',
    show: () => ({}),
    redirectTo: ({ fullPath }, { given }) =>
      `${helpers.path(fullPath, '-', 'branches')}?${new URLSearchParams({ search: String([given.ref ?? ''].flat().at(-1)) })}`,
  }),
  page({
    path: '/:project/-/tree/*place',
    operation: TreePageDocument,
    view: 'repository/tree',
    found: ({ project }) => project?.repository?.at && { project, at: project.repository.at },
    title: ({ project, at }, { t }) => titleOf(t('Files'), at, project.fullPath),
    show: ({ project, at }) => ({ project, tab: 'code', repository: project.repository, at }),
    redirectTo: ({ project, at }) => redirectTo(project.fullPath, 'tree', at),
    pageSize: 100,
  }),
  page({
    path: '/:project/-/blob/*place',
    operation: FilePageDocument,
    view: 'repository/file',
    found: ({ project }) => project?.repository?.at && { project, at: project.repository.at },
    title: ({ project, at }) => titleOf('', at, project.fullPath),
    show: ({ project, at }, { given }) => ({
      project,
      tab: 'code',
      repository: project.repository,
      at,
      file: at.file,
      isPlain: given.plain !== undefined,
      symbols: at.file?.symbols ?? null,
      problemsOfOwners: PROBLEMS_OF_OWNERS,
    }),
    redirectTo: ({ project, at }) => redirectTo(project.fullPath, 'blob', at),
  }),
  page({
    path: '/:project/-/blame/*place',
    operation: BlamePageDocument,
    view: 'repository/blame',
    found: ({ project }) => {
      const at = project?.repository?.at;
      return project && at?.file?.blame && at.file.lines ? { project, at, file: at.file, lines: at.file.lines } : null;
    },
    title: ({ project, at }, { t }) => titleOf(t('Blame'), at, project.fullPath),
    show: (found) => ({ ...found, tab: 'code', repository: found.project.repository, blame: found.file.blame }),
  }),
  page({
    path: '/:project/-/line_history/*place',
    operation: LineHistoryPageDocument,
    view: 'repository/line_history',
    found: ({ project }) => {
      const at = project?.repository?.at;
      return project && at?.file?.lineHistory ? { project, at, changes: at.file.lineHistory } : null;
    },
    title: ({ project, at }, { t }) => titleOf(t('History of lines'), at, project.fullPath),
    show: ({ project, at, changes }, { given }) => {
      const [from, to, count] = [numberOf(given.from, 1), numberOf(given.to, 1), numberOf(given.count, USUAL_CHANGES)];
      const range = { from, to, hasMore: changes.length === count && count < MAX_CHANGES, most: MAX_CHANGES };
      return { project, at, repository: project.repository, tab: 'code', changes, ...range };
    },
  }),
  page({
    path: '/:project/-/find_file/*ref',
    operation: FindFilePageDocument,
    view: 'repository/find',
    found: ({ project }) => project?.repository?.at?.paths && { project, at: project.repository.at },
    title: ({ project, at }, { t }) => `${t('Find a file')} · ${at.ref} · ${project.fullPath}`,
    show: ({ project, at }) => ({ project, tab: 'code', at }),
  }),
  raw({
    path: '/:project/-/raw/*place',
    operation: RawFileDocument,
    content: 'page_blob',
    found: ({ project }) => project?.repository?.at?.file,
  }),
  raw({
    path: '/:project/-/archive/*name',
    operation: RawArchivesDocument,
    content: 'page_archive',
    variables: (given) => ({ ...given, ...archiveNamed(given.name) }),
    found: ({ project }, { given }) => {
      const { format, ref, around } = archiveNamed(given.name);
      const [whole, outer] = format ? [project?.repository?.[format], project?.around?.[format]] : [];
      if (!format || !outer || around === ref) return whole;
      // What is called as the archive has a directory that is called so, which recipes of packages rely on.
      const prefix = `${String(given.project).split('/').at(-1)}-${around.replaceAll('/', '-')}`;
      const isCalledSo = ref.slice(around.length + 1) === prefix;
      return isCalledSo ? { ...outer, prefix, fileName: `${prefix}.${outer.extension}` } : outer;
    },
  }),
  ...ARCHIVES.map(([ending, format]) =>
    raw({
      path: `/:project/repository/archive${ending}`,
      operation: RawArchivesDocument,
      content: 'page_archive',
      variables: ({ project, ref, sha }) => ({ project, ref: ref ?? sha ?? '', around: ref ?? sha ?? '' }),
      found: ({ project }) => project?.repository?.[format],
    }),
  ),
];
