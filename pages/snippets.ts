import { page } from '#pages/engine/row.ts';
import { commentForm, pageOfNote, THREADS, withSoughtNote } from '#pages/notes.ts';
import {
  ProjectSnippetPageDocument,
  SnippetListPageDocument,
  SnippetPageDocument,
} from '#src/generated/page_operations.ts';

const LIST = '/:project/-/snippets';
const ONE = `${LIST}/:id`;

const snippet = page({
  path: ONE,
  operation: ProjectSnippetPageDocument,
  view: 'snippets/show',
  found: ({ project, commented }) =>
    project?.snippet && { project, snippet: project.snippet, talk: commented?.snippet ?? null },
  title: ({ project, snippet }) => `${snippet.title} · ${project.fullPath}`,
  show: (found) => ({ ...found, tab: 'snippets' }),
  variables: withSoughtNote,
  redirectTo: ({ project, talk }, facts) => talk && pageOfNote(project.fullPath, talk.discussions, talk.note, facts),
  pageSize: THREADS,
});

/** Snippets of projects with comments, and those that belong to their author alone. */
export const snippets = [
  page({
    path: '/-/snippets/:id',
    operation: SnippetPageDocument,
    view: 'snippets/personal',
    found: ({ snippet }) => snippet,
    title: ({ title }) => title,
    show: (snippet) => ({ snippet }),
  }),
  page({
    path: LIST,
    operation: SnippetListPageDocument,
    view: 'snippets/list',
    found: ({ project }) => project,
    title: (project, { t }) => `${t('Snippets')} · ${project.fullPath}`,
    show: (project) => ({ project, snippets: project.snippets, tab: 'snippets' }),
  }),
  snippet,
  commentForm(ONE, snippet),
];
