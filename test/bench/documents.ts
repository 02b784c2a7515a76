import { token } from './dataset.ts';
import type { Call } from './load.ts';

/** The list of issues over GraphQL, with the fields that REST shows. */
const ISSUES = `query Issues($ref: ProjectRef!, $limit: Int) {
  project(ref: $ref) {
    issues(limit: $limit) {
      totalCount
      nodes {
        databaseId iid projectId title description state createdAt updatedAt labelTitles
        milestone { databaseId iid projectId title description state createdAt updatedAt dueDate startDate }
        assignee { ...brief }
        author { ...brief }
        userNotesCount upvotes downvotes dueDate webUrl confidential
      }
    }
  }
}
fragment brief on User { databaseId username name state avatarUrl webUrl }`;

/** Projects, and of each the first issues. */
const PROJECTS = `query Projects($limit: Int, $offset: Int, $issues: Int) {
  projects(limit: $limit, offset: $offset) {
    nodes {
      databaseId name fullPath
      issues(limit: $issues) {
        totalCount
        nodes {
          databaseId iid title state createdAt labelTitles
          author { databaseId username name state avatarUrl webUrl }
          userNotesCount webUrl
        }
      }
    }
  }
}`;

/** A list of issues over `/graphql`. */
export function issuesOf(projectId: number, limit = 20): Call {
  return graphql('Issues', ISSUES, { ref: projectId, limit });
}

/** Ten projects over `/graphql` with five issues each. */
export function projectsWithIssues(offset: number): Call {
  return graphql('Projects', PROJECTS, { limit: 10, offset, issues: 5 });
}

/** What costs nothing but the way there and back. */
export function nothing(): Call {
  return graphql('Nothing', 'query Nothing { __typename }', {});
}

/** A request for one operation of a document. */
export function graphql(operationName: string, query: string, variables: object): Call {
  const body = JSON.stringify({ query, operationName, variables });
  return { method: 'POST', path: '/graphql', headers: { 'PRIVATE-TOKEN': token }, body };
}
