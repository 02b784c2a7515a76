import { object } from '#compat/engine/entries.ts';
import { mutation } from '#compat/engine/mutation.ts';
import { type Entries, type Entry, type Given, type Row, viewOf } from '#compat/engine/table.ts';
import { coreId, key, lookUp, pathOf, requireAll, set } from '#compat/tables/mutations/look_up.ts';

/** The files of a snippet; `blobActions` of a new one create them. */
const filesOf = (actions: readonly Given[]) =>
  actions.map(({ action, filePath, previousPath, content }) => ({
    action: action.toUpperCase(),
    ...set({ filePath, previousPath, content: content ?? undefined }),
  }));

/** A created runner, with the token that is shown this once. */
const createdRunner: Entry = {
  select: (site) => [site.call('token'), site.call('runner', null, site.inside(shownRunner()))],
  shape: (site) => {
    const make = site.object(shownRunner());
    return ({ runner, token }, run) => (runner ? make({ ...(runner as Row), token }, run) : null);
  },
};

function shownRunner() {
  const table = viewOf('CiRunner');
  if ('tables' in table) throw new Error('Runners are shown in one way');
  const token: Entry = { select: () => [], shape: () => (row) => row.token };
  return { ...table, fields: { ...table.fields, ephemeralAuthenticationToken: token } };
}

/** Repositories, snippets and runners. */
export const repositoryMutations: Entries = {
  commitCreate: mutation({
    core: 'createCommit',
    input: ({ projectPath, branch, message, actions }) => ({
      project: pathOf(projectPath),
      branch,
      message,
      actions: actions.map(({ encoding, ...action }: Given) => ({ ...action, ...(encoding && { encoding }) })),
    }),
    payload: { commit: object('commit', 'Commit') },
  }),
  createBranch: mutation({
    core: 'createBranch',
    input: ({ projectPath, name, ref }) => ({ project: pathOf(projectPath), name, ref }),
    payload: { branch: object('branch', 'Branch') },
  }),
  createSnippet: mutation({
    core: 'createSnippet',
    input: ({ projectPath, title, description, visibilityLevel, blobActions }) => ({
      title,
      visibility: visibilityLevel.toUpperCase(),
      files: filesOf(blobActions ?? []),
      ...set({ description, project: projectPath == null ? undefined : pathOf(projectPath) }),
    }),
    payload: { snippet: object('snippet', 'Snippet') },
  }),
  updateSnippet: mutation({
    core: 'updateSnippet',
    lookup: lookUp({ snippet: ({ id }) => coreId(id) }),
    input: ({ id, blobActions }, found) => {
      const [snippet] = requireAll([found.snippet]);
      const project = snippet?.project as { databaseId: number } | null;
      return {
        id: id.key,
        ...(project && { project: String(project.databaseId) }),
        ...(blobActions && { files: filesOf(blobActions) }),
      };
    },
    payload: { snippet: object('snippet', 'Snippet') },
  }),
  runnerCreate: mutation({
    core: 'createRunner',
    input: ({ clientMutationId: _, projectId, groupId, ...values }) => ({
      ...Object.fromEntries(Object.entries(values).filter(([, value]) => value != null)),
      ...(projectId && { owner: { project: key(projectId) } }),
      ...(groupId && { owner: { group: key(groupId) } }),
    }),
    payload: { runner: createdRunner },
  }),
};
