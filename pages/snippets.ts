import { named } from '#pages/engine/asking.ts';
import { path } from '#pages/engine/helpers.ts';
import { type Facts, form, page } from '#pages/engine/row.ts';
import { commentForm, pageOfNote, THREADS, withSoughtNote } from '#pages/notes.ts';
import {
  EditProjectSnippetPageDocument,
  EditSnippetPageDocument,
  NewProjectSnippetPageDocument,
  NewSnippetPageDocument,
  OwnSnippetListPageDocument,
  ProjectSnippetPageDocument,
  SendNewSnippetDocument,
  SendSnippetChangeDocument,
  SendSnippetDeletionDocument,
  SnippetListPageDocument,
  SnippetPageDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const OWN = '/-/snippets';
const LIST = '/:project/-/snippets';
const ONE = `${LIST}/:id`;

/** The list that a snippet belongs to: that of its project, or the user’s own. */
const listOf = (project: unknown) => (project === undefined ? OWN : path(String(project), '-', 'snippets'));

const addressOf = ({ given }: Facts, id: unknown) => `${listOf(given.project)}/${id}`;

const textsOf = (value: unknown) => [value ?? []].flat().map(String);

/**
 * What becomes of the files of a form, whose fields are repeated for each: those that had a name before are changed, renamed or deleted, and
 * others are new, unless nothing was filled in. Browsers send all lines with CR and LF.
 */
function withFiles(given: Facts['given']): Facts['given'] {
  const [contents, before, removed] = [given.content, given.previousName, given.removed].map(textsOf);
  const files = textsOf(given.fileName).flatMap((filePath, at) => {
    const content = contents?.[at]?.replaceAll('\r\n', '\n') ?? '';
    const previousPath = before?.[at] ?? '';
    if (previousPath === '') return filePath || content ? [{ action: 'CREATE', filePath, content }] : [];
    if (removed?.includes(previousPath)) return [{ action: 'DELETE', filePath: previousPath }];
    if (previousPath === filePath) return [{ action: 'UPDATE', filePath, content }];
    return [{ action: 'MOVE', previousPath, filePath, content }];
  });
  return { ...given, files };
}

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

const newOwn = page({
  path: `${OWN}/new`,
  operation: NewSnippetPageDocument,
  view: 'snippets/new',
  found: ({ viewer }) => viewer,
  title: (_found, { t }) => t('New snippet'),
  show: () => ({}),
  signIn: true,
});

const newInProject = page({
  path: `${LIST}/new`,
  operation: NewProjectSnippetPageDocument,
  view: 'snippets/project_new',
  found: ({ project }) => (project?.viewerCanCreateSnippet ? project : null),
  title: (project, { t }) => `${t('New snippet')} · ${project.fullPath}`,
  show: (project) => ({ project, tab: 'snippets' }),
  signIn: true,
});

const editOwn = page({
  path: `${OWN}/:id/edit`,
  operation: EditSnippetPageDocument,
  view: 'snippets/edit',
  found: ({ snippet: one }) => (one?.viewerCanUpdate ? one : null),
  title: ({ title }, { t }) => t('Edit {name}', { name: title }),
  show: (one) => ({ snippet: one }),
  signIn: true,
});

const editInProject = page({
  path: `${ONE}/edit`,
  operation: EditProjectSnippetPageDocument,
  view: 'snippets/project_edit',
  found: ({ project }) => (project?.snippet?.viewerCanUpdate ? { project, snippet: project.snippet } : null),
  title: ({ project, snippet: { title } }, { t }) => `${t('Edit {name}', { name: title })} · ${project.fullPath}`,
  show: (found) => ({ ...found, tab: 'snippets' }),
  signIn: true,
});

const REQUIRED = ['title'];

/** The forms of one list of snippets. */
const formsAt = (list: string, pages: { made: typeof newOwn; changed: typeof editOwn }, hidden: readonly string[]) => [
  form({
    path: list,
    operation: SendNewSnippetDocument,
    hidden: [...hidden, 'fileName', 'content'],
    required: REQUIRED,
    variables: withFiles,
    says: label('The snippet was created.'),
    goTo: ({ createSnippet }, facts) => addressOf(facts, createSnippet?.snippet.databaseId),
    again: pages.made,
  }),
  form({
    path: `${list}/:id/edit`,
    operation: SendSnippetChangeDocument,
    hidden: [...hidden, 'fileName', 'content'],
    required: REQUIRED,
    variables: withFiles,
    says: label('The snippet was saved.'),
    goTo: (_data, facts) => addressOf(facts, facts.given.id),
    again: pages.changed,
  }),
  form({
    path: `${list}/:id/delete`,
    operation: SendSnippetDeletionDocument,
    hidden,
    says: label('The snippet was deleted.'),
    asks: (facts) => ({
      heading: facts.t('Delete the snippet {name}?', { name: named(facts.given) }),
      says: [facts.t('Its comments are deleted, too. This cannot be undone.')],
      button: facts.t('Delete snippet'),
      back: addressOf(facts, facts.given.id),
    }),
    goTo: (_data, { given }) => listOf(given.project),
  }),
];

/** Snippets of projects with comments, and those that belong to their author alone. */
export const snippets = [
  page({
    path: OWN,
    operation: OwnSnippetListPageDocument,
    view: 'snippets/own',
    found: ({ ownSnippets }) => ownSnippets,
    title: (_found, { t }) => t('Your snippets'),
    show: (list) => ({ snippets: list }),
    signIn: true,
  }),
  newOwn,
  newInProject,
  editOwn,
  editInProject,
  ...formsAt(OWN, { made: newOwn, changed: editOwn }, ['project']),
  ...formsAt(LIST, { made: newInProject as never, changed: editInProject as never }, []),
  page({
    path: `${OWN}/:id`,
    operation: SnippetPageDocument,
    view: 'snippets/personal',
    found: ({ snippet: one }) => one,
    title: ({ title }) => title,
    show: (one) => ({ snippet: one }),
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
