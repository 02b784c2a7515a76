import { page, type Row } from '#pages/engine/row.ts';
import {
  ProjectSnippetPageDocument,
  SnippetListPageDocument,
  SnippetPageDocument,
} from '#src/generated/page_operations.ts';

/** Snippets of projects, and those that belong to their author alone. */
export const snippets: Row[] = [
  page({
    path: '/-/snippets/:id',
    operation: SnippetPageDocument,
    view: 'snippets/personal',
    found: ({ snippet }) => snippet,
    title: ({ title }) => title,
    show: (snippet) => ({ snippet }),
  }),
  page({
    path: '/:project/-/snippets',
    operation: SnippetListPageDocument,
    view: 'snippets/list',
    found: ({ project }) => project,
    title: (project) => `Snippets · ${project.fullPath}`,
    show: (project) => ({ project, snippets: project.snippets, tab: 'snippets' }),
  }),
  page({
    path: '/:project/-/snippets/:id',
    operation: ProjectSnippetPageDocument,
    view: 'snippets/show',
    found: ({ project }) => project?.snippet && { project, snippet: project.snippet },
    title: ({ project, snippet }) => `${snippet.title} · ${project.fullPath}`,
    show: (found) => ({ ...found, tab: 'snippets' }),
  }),
];
