import type { Route } from '#rest/engine/route.ts';
import { noteKeys } from '#rest/v4/note_record.ts';
import * as operations from '#src/generated/operations.ts';

type Scope = Pick<Route, 'operation' | 'result'> & Partial<Route>;

/** The text about tasks is there where there are tasks. */
const omitUnless = { has_tasks: ['task_status'] };
/** Says that there may be more than was found. */
const flags = { 'X-Search-Limited': 'limited' };

/** Files that were found have no ID. */
const constants = { id: null };

/** A search; its parameter `scope` says what is found. */
function search(path: string, name: string, where: string, of: Readonly<Record<string, Scope>>): Route {
  const [first] = Object.values(of);
  if (!first) throw new Error(`${path} finds nothing`);
  const description =
    `Searches ${where} for a text, as far as the caller can see. \`scope\` says what to find; other parameters have an effect on the ` +
    `scopes that they can apply to. Texts of fewer than two characters find nothing.`;
  return {
    method: 'GET',
    path,
    ...first,
    description,
    headers: { 'X-Search-Type': 'basic' },
    choice: { parameter: 'scope', description: 'What to find.', name, of },
  };
}

export const searches: Route[] = [
  search('/search', 'Search', 'the whole server', {
    projects: { operation: operations.SearchProjectsDocument, result: 'find.projects' },
    issues: { operation: operations.SearchIssuesDocument, result: 'find.issues', omitUnless },
    merge_requests: { operation: operations.SearchMergeRequestsDocument, result: 'find.mergeRequests' },
    milestones: { operation: operations.SearchMilestonesDocument, result: 'find.milestones' },
    snippet_titles: { operation: operations.SearchSnippetTitlesDocument, result: 'find.snippets' },
    users: { operation: operations.SearchUsersDocument, result: 'find.users' },
    blobs: { operation: operations.SearchBlobsDocument, result: 'find.code', flags, constants },
    notes: { operation: operations.SearchNotesDocument, result: 'find.notes', ...noteKeys() },
    commits: { operation: operations.SearchCommitsDocument, result: 'find.commits', flags },
    wiki_blobs: { operation: operations.SearchWikiBlobsDocument, result: 'find.wikiFiles', flags, constants },
  }),
  {
    ...search('/groups/:id/search', 'GroupSearch', 'a group and the groups inside it', {
      projects: { operation: operations.SearchGroupProjectsDocument, result: 'group.find.projects' },
      issues: { operation: operations.SearchGroupIssuesDocument, result: 'group.find.issues', omitUnless },
      merge_requests: { operation: operations.SearchGroupMergeRequestsDocument, result: 'group.find.mergeRequests' },
      milestones: { operation: operations.SearchGroupMilestonesDocument, result: 'group.find.milestones' },
      users: { operation: operations.SearchGroupUsersDocument, result: 'group.find.users' },
      blobs: { operation: operations.SearchGroupBlobsDocument, result: 'group.find.code', flags, constants },
      notes: { operation: operations.SearchGroupNotesDocument, result: 'group.find.notes', ...noteKeys() },
      commits: { operation: operations.SearchGroupCommitsDocument, result: 'group.find.commits', flags },
      wiki_blobs: {
        operation: operations.SearchGroupWikiBlobsDocument,
        result: 'group.find.wikiFiles',
        flags,
        constants,
      },
    }),
    alsoAt: ['/groups/:id/-/search'],
  },
  {
    ...search('/projects/:id/search', 'ProjectSearch', 'a project', {
      issues: { operation: operations.SearchProjectIssuesDocument, result: 'project.find.issues', omitUnless },
      merge_requests: {
        operation: operations.SearchProjectMergeRequestsDocument,
        result: 'project.find.mergeRequests',
      },
      milestones: { operation: operations.SearchProjectMilestonesDocument, result: 'project.find.milestones' },
      users: { operation: operations.SearchProjectUsersDocument, result: 'project.find.users' },
      notes: { operation: operations.SearchProjectNotesDocument, result: 'project.find.notes', ...noteKeys() },
      commits: { operation: operations.SearchProjectCommitsDocument, result: 'project.find.commits', flags },
      blobs: { operation: operations.SearchProjectBlobsDocument, result: 'project.find.files', flags, constants },
      wiki_blobs: { operation: operations.SearchProjectWikiBlobsDocument, result: 'project.find.wikiFiles', constants },
    }),
    alsoAt: ['/projects/:id/-/search'],
  },
];
