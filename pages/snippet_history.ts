import { shownFiles } from '#pages/diff.ts';
import { page } from '#pages/engine/row.ts';
import {
  ProjectSnippetCommitPageDocument,
  ProjectSnippetFilesPageDocument,
  ProjectSnippetHistoryPageDocument,
  SnippetCommitPageDocument,
  SnippetFilesPageDocument,
  SnippetHistoryPageDocument,
} from '#src/generated/page_operations.ts';

const OWN = '/-/snippets/:id/history';
const OF_PROJECT = `/:project${OWN}`;

/** The history of the files of snippets, its commits, and the files of one. */
export const snippetHistory = [
  page({
    path: OWN,
    operation: SnippetHistoryPageDocument,
    view: 'snippets/history_own',
    found: ({ snippet }) => snippet,
    title: ({ title }, { t }) => `${t('History')} · ${title}`,
    show: (snippet) => ({ snippet }),
  }),
  page({
    path: OF_PROJECT,
    operation: ProjectSnippetHistoryPageDocument,
    view: 'snippets/history_project',
    found: ({ project }) => project?.snippet && { project, snippet: project.snippet },
    title: ({ project, snippet }, { t }) => `${t('History')} · ${snippet.title} · ${project.fullPath}`,
    show: (found) => ({ ...found, tab: 'snippets' }),
  }),
  page({
    path: `${OWN}/:sha`,
    operation: SnippetCommitPageDocument,
    view: 'snippets/commit_own',
    found: ({ snippet }) => snippet?.commit && { snippet, commit: snippet.commit },
    title: ({ snippet, commit }) => `${commit.title} · ${snippet.title}`,
    show: (found, facts) => ({ ...found, files: shownFiles(found.commit.fileDiffs, facts) }),
    pageSize: 20,
  }),
  page({
    path: `${OF_PROJECT}/:sha`,
    operation: ProjectSnippetCommitPageDocument,
    view: 'snippets/commit_project',
    found: ({ project }) =>
      project?.snippet?.commit && { project, snippet: project.snippet, commit: project.snippet.commit },
    title: ({ project, commit }) => `${commit.title} · ${project.fullPath}`,
    show: (found, facts) => ({ ...found, files: shownFiles(found.commit.fileDiffs, facts), tab: 'snippets' }),
    pageSize: 20,
  }),
  page({
    path: `${OWN}/:sha/files`,
    operation: SnippetFilesPageDocument,
    view: 'snippets/files_own',
    found: ({ snippet }) => snippet?.commit && { snippet, commit: snippet.commit },
    title: ({ snippet, commit }) => `${commit.title} · ${snippet.title}`,
    show: (found) => found,
  }),
  page({
    path: `${OF_PROJECT}/:sha/files`,
    operation: ProjectSnippetFilesPageDocument,
    view: 'snippets/files_project',
    found: ({ project }) =>
      project?.snippet?.commit && { project, snippet: project.snippet, commit: project.snippet.commit },
    title: ({ project, commit }) => `${commit.title} · ${project.fullPath}`,
    show: (found) => ({ ...found, tab: 'snippets' }),
  }),
];
