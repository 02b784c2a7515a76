import { chartsOf } from '#pages/chart.ts';
import { shareChartOf } from '#pages/chart_shares.ts';
import { type ShownFile, shownFiles } from '#pages/diff.ts';
import { spokenOfBy, spokenOfIn, withLinesApart } from '#pages/diff_apart.ts';
import { lineId, placeNamed } from '#pages/diff_names.ts';
import { path } from '#pages/engine/helpers.ts';
import { type Facts, form, page } from '#pages/engine/row.ts';
import { pageOfNote, THREADS, withSoughtNote } from '#pages/notes.ts';
import {
  ApplyCommitPageDocument,
  CommitListPageDocument,
  type CommitListPageQuery,
  CommitPageDocument,
  type CommitPageQuery,
  CommitPlacePageDocument,
  CommitRefsPageDocument,
  CommitSearchPageDocument,
  CommitThreadPageDocument,
  HistoryPlacePageDocument,
  InsightPageDocument,
  SendCherryPickDocument,
  SendCommitCommentDocument,
  SendRevertDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

type Project = NonNullable<CommitListPageQuery['project']>;

type Talk = NonNullable<NonNullable<NonNullable<CommitPageQuery['project']>['repository']>['commit']>['discussions'];
type PlacedThread = NonNullable<Talk>['nodes'][number];

/** A thread on a commit: of those of its page it is told what they are on, of one that is shown as a whole not. */
export type CommitThread = Pick<PlacedThread, 'id' | 'notes'> & Partial<PlacedThread>;

const list = {
  operation: CommitListPageDocument,
  view: 'commits/list',
  found: ({ project }: CommitListPageQuery) => (project?.repository?.commits ? project : null),
  title: (project: Project, { given, t }: Facts) => `${t('Commits')} · ${given.ref} · ${project.fullPath}`,
  show: (project: Project, { given }: Facts) => ({
    project,
    tab: 'code',
    ref: String(given.ref),
    filePath: given.path === undefined ? null : String(given.path),
    search: null,
    days: byDay(project.repository?.commits?.nodes ?? []),
    pageInfo: project.repository?.commits?.pageInfo,
  }),
  feed: (project: Project, { given }: Facts) =>
    given.path === undefined ? `${path(project.fullPath, '-', 'commits', String(given.ref))}.atom` : undefined,
};

const commit = page({
  path: '/:project/-/commit/:sha',
  operation: CommitPageDocument,
  view: 'commits/commit',
  found: ({ project }) => (project?.repository?.commit ? project : null),
  title: (project) => `${project.repository?.commit?.title} · ${project.fullPath}`,
  variables: (given) => {
    const most = String(THREADS);
    const isFromEnd = given.threads === 'last' || given.threadsBefore !== undefined;
    return { ...withSoughtNote(given), threads: isFromEnd ? '' : most, lastThreads: isFromEnd ? most : '' };
  },
  redirectTo: (project, facts) => {
    const { sha, discussions, note } = project.repository?.commit ?? {};
    const thread = path(project.fullPath, '-', 'commit', sha ?? '', 'discussions');
    return discussions
      ? pageOfNote(project.fullPath, discussions, note, facts, { after: 'threadsAfter', thread })
      : null;
  },
  show: (project, facts) => {
    const { given } = facts;
    const commit = project.repository?.commit;
    const threads = commit?.discussions?.nodes ?? [];
    const spokenOf = [...spokenOfIn(threads), ...spokenOfBy(given.line)];
    const files = commit?.fileDiffs ? withLinesApart(shownFiles(commit.fileDiffs, facts), spokenOf) : [];
    const placed = placeThreads(threads, files);
    const shown = new Set(Object.values(placed).flat());
    return {
      ...{ project, tab: 'code', commit, files, diff: commit?.fileDiffs },
      // On the whole commit, and on lines that are not on this page.
      onCommit: threads.filter((thread) => !shown.has(thread)),
      threads: placed,
      line: project.viewerCanCommentOnCommits ? placeNamed(given.line) : undefined,
    };
  },
  pageSize: 20,
  listsFiles: true,
});

/** A page that asks where the change of a commit is taken back, or applied. */
const applying = (act: 'revert' | 'cherry-pick', title: string, button: string, says: string) =>
  page({
    path: `/:project/-/commit/:sha/${act}`,
    operation: ApplyCommitPageDocument,
    view: 'commits/apply',
    found: ({ project }) => {
      const found = project?.repository?.commit;
      return project?.viewerCanPush && found ? { project, commit: found } : null;
    },
    title: ({ project, commit: { shortSha } }, { t }) => `${t(title)} · ${shortSha} · ${project.fullPath}`,
    show: ({ project, commit: found }, { given }) => ({
      ...{ project, tab: 'code', commit: found, act, heading: title, button, says },
      before: {
        branch: given.branch === undefined ? project.defaultBranch : String(given.branch),
        newBranch: `${act}-${found.shortSha}`,
        message: found.message.trim(),
      },
      branches: project.repository?.branches,
    }),
    signIn: true,
  });

const reverting = applying(
  'revert',
  label('Revert this commit'),
  label('Revert'),
  label('A new commit takes back what this one changed.'),
);

const cherryPicking = applying(
  'cherry-pick',
  label('Cherry-pick this commit'),
  label('Cherry-pick'),
  label('A new commit on another branch changes the same.'),
);

/** On a new branch that begins at the chosen one, where a merge request is to be opened. */
const ontoBranch = (given: Facts['given']): Facts['given'] =>
  given.mergeRequest === undefined ? given : { ...given, branch: given.newBranch, startBranch: given.branch };

interface Applied {
  commit: { sha: string; project: { fullPath: string } };
}

/** The new commit, or the form of a merge request that brings it. */
function behindApplied({ commit: made }: Applied, { given }: Facts): string {
  if (given.mergeRequest === undefined) return path(made.project.fullPath, '-', 'commit', made.sha);
  const query = new URLSearchParams({
    'merge_request[source_branch]': String(given.newBranch),
    'merge_request[target_project_id]': made.project.fullPath,
    'merge_request[target_branch]': String(given.branch),
  });
  return `${path(made.project.fullPath, '-', 'merge_requests', 'new')}?${query}`;
}

const insight = page({
  path: '/:project/-/graphs/*ref',
  operation: InsightPageDocument,
  view: 'commits/insight',
  found: ({ project }) => {
    const { at, commitActivity, contributors, languageHistory } = project?.repository ?? {};
    return project && at && contributors
      ? { project, ref: at.ref, commitActivity, contributors, history: languageHistory ?? null }
      : null;
  },
  title: ({ project }, { t }) => `${t('Insight')} · ${project.fullPath}`,
  show: ({ project, ref, commitActivity: activity, contributors, history }, { given }) => ({
    shares: history && shareChartOf(history.points),
    isPartial: history?.isPartial === true,
    ...{ project, ref, activity: activity ?? null, contributors: contributors.nodes },
    tab: 'code',
    charts: chartsOf(
      (activity ?? []).map(({ from, commits: totalCount }) => ({
        ...{ from, totalCount, successCount: 0, failedCount: 0, medianDuration: null },
      })),
    ),
    interval: String(given.interval ?? 'week'),
  }),
});

/** Where addresses of pages lead that show a history in another way. */
const histories = ['graphs/*ref/charts', 'network/*ref'].map((place) =>
  page({
    path: `/:project/-/${place}`,
    operation: HistoryPlacePageDocument,
    view: 'error',
    found: ({ project }) => (project?.repository?.at ? { project, ref: project.repository.at.ref } : null),
    title: ({ project }) => project.fullPath,
    show: () => ({}),
    redirectTo: ({ project, ref }) =>
      `${path(project.fullPath, '-', place.startsWith('graphs') ? 'graphs' : 'commits')}${path(ref)}`,
  }),
);

export const commits = [
  ...histories,
  insight,
  page({
    path: '/:project/-/commits/*ref',
    operation: CommitSearchPageDocument,
    view: 'commits/list',
    found: ({ project }) => (project?.find ? project : null),
    title: (project, { given, t }) =>
      `${t('Commits with {search}', { search: String(given.search) })} · ${project.fullPath}`,
    show: (project, { given }) => ({
      project,
      tab: 'code',
      ref: String(given.ref),
      filePath: null,
      search: String(given.search),
      days: byDay(project.find?.commits?.nodes ?? []),
      pageInfo: null,
    }),
  }),
  page({ path: '/:project/-/commits/*ref', ...list }),
  // A branch or tag, and a path of its files.
  page({
    path: '/:project/-/commits/*place',
    operation: CommitPlacePageDocument,
    view: 'commits/list',
    found: ({ project }) => {
      const at = project?.repository?.at;
      return project && at?.commits ? { project, at, commits: at.commits } : null;
    },
    title: ({ project, at }, { t }) => `${t('Commits')} · ${at.ref} · ${project.fullPath}`,
    show: ({ project, at, commits }) => ({
      project,
      tab: 'code',
      ref: at.ref,
      filePath: at.path,
      search: null,
      days: byDay(commits.nodes),
      pageInfo: commits.pageInfo,
    }),
  }),
  // A branch or tag without slashes, and a path that is not among its files any more.
  page({ path: '/:project/-/commits/:ref/*path', ...list }),
  commit,
  reverting,
  form({
    path: reverting.path,
    operation: SendRevertDocument,
    hidden: ['dryRun'],
    variables: ontoBranch,
    says: label('The commit was reverted.'),
    goTo: ({ revertCommit }, facts) => behindApplied(revertCommit as Applied, facts),
    again: reverting,
  }),
  cherryPicking,
  form({
    path: cherryPicking.path,
    operation: SendCherryPickDocument,
    hidden: ['dryRun'],
    variables: ontoBranch,
    says: label('The commit was cherry-picked.'),
    goTo: ({ cherryPickCommit }, facts) => behindApplied(cherryPickCommit as Applied, facts),
    again: cherryPicking,
  }),
  form({
    path: '/:project/-/commit/:sha',
    operation: SendCommitCommentDocument,
    names: { path: 'filePath', line: 'fileLine' },
    variables: onWholeFile,
    says: label('The comment was added.'),
    goTo: ({ createCommitComment }, { url, given }) => {
      const query = new URLSearchParams(url.search);
      for (const name of ['line', 'note']) query.delete(name);
      const text = query.toString();
      return `${url.pathname}${text === '' ? '' : `?${text}`}#note_${createCommitComment?.comment.databaseId ?? given.sha}`;
    },
    again: commit,
  }),
  page({
    path: '/:project/-/commit/:sha/refs',
    operation: CommitRefsPageDocument,
    view: 'commits/refs',
    pageSize: 100,
    found: ({ project }) => {
      const commit = project?.repository?.commit;
      return project && commit ? { project, commit } : null;
    },
    title: ({ project, commit }, { t }) => `${t('Branches and tags')} · ${commit.title} · ${project.fullPath}`,
    show: (found) => ({ ...found, tab: 'code' }),
  }),
  page({
    path: '/:project/-/commit/:sha/discussions/:thread',
    operation: CommitThreadPageDocument,
    view: 'commits/whole_thread',
    found: ({ project }) => {
      const commit = project?.repository?.commit;
      return project && commit?.discussion ? { project, commit, thread: commit.discussion } : null;
    },
    title: ({ project }, { t }) => `${t('Thread')} · ${project.fullPath}`,
    show: (found) => ({ ...found, tab: 'code' }),
    pageSize: 100,
  }),
];

/** A comment on a whole file is sent with its path before the commit as well. */
function onWholeFile(given: Facts['given']): Facts['given'] {
  const { filePath, beforePath, ...rest } = given;
  if (beforePath === undefined) return given;
  const { sha: startSha, sha: headSha } = given;
  const position = { positionType: 'FILE', newPath: filePath, oldPath: beforePath, startSha, headSha };
  return { ...rest, position };
}

/** Commits by the days on which they were made, in their order. */
function byDay<C extends { committedDate: unknown }>(nodes: readonly C[]): [string, C[]][] {
  const days: [string, C[]][] = [];
  for (const one of nodes) {
    const day = String(one.committedDate).slice(0, 10);
    const last = days.at(-1);
    if (last?.[0] === day) last[1].push(one);
    else days.push([day, [one]]);
  }
  return days;
}

interface OnLine {
  position?: { newPath: string; oldPath: string; oldLine?: number | null; newLine?: number | null } | null | undefined;
}

/** Threads by the names of the lines on the page that they are on, or of their files. */
export function placeThreads<T extends OnLine>(
  threads: readonly T[],
  files: readonly ShownFile[],
): Record<string, T[]> {
  const placed: Record<string, T[]> = {};
  for (const thread of threads) {
    const { position } = thread;
    const file =
      position && files.find(({ newPath, oldPath }) => newPath === position.newPath || oldPath === position.oldPath);
    if (!file || !position) continue;
    const [old, now] = [position.oldLine ?? null, position.newLine ?? null];
    const lines = file.hunks.flatMap((hunk) => hunk.lines);
    const line =
      lines.find(({ id }) => id === lineId(file.id, old, now)) ??
      lines.find((one) => (now === null ? old !== null && one.old === old : one.now === now));
    const key = line?.id ?? file.id;
    placed[key] = [...(placed[key] ?? []), thread];
  }
  return placed;
}
