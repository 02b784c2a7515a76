import { token } from './dataset.ts';
import type { Call } from './load.ts';

/** What both servers are asked for, so that their throughputs can be compared. */
export interface Measurement {
  name: string;
  gantry: (n: number) => Call;
  comparator: (n: number) => Call;
  /** The ratio that Gantry is to reach at least. */
  target?: number;
}

const headers = { 'PRIVATE-TOKEN': token };

/** The list of issues over GraphQL, with the fields that REST shows. */
const document = `query Issues($ref: ProjectRef!, $limit: Int) {
  project(ref: $ref) {
    issues(limit: $limit) {
      totalCount
      nodes {
        databaseId iid projectId title description state createdAt updatedAt labelNames
        milestone { databaseId iid projectId title description state createdAt updatedAt dueDate startDate }
        assignee { ...brief }
        author { ...brief }
        userNotesCount upvotes downvotes dueDate webUrl confidential
      }
    }
  }
}
fragment brief on User { databaseId username name state avatarUrl webUrl }`;

/** A request for a path under the REST API. */
export function rest(path: string): Call {
  return { path: `/api/v4/${path}`, headers };
}

/** The measurements; each request goes to the next project. */
export function measurements(projects: number, issuesInProject: number): Measurement[] {
  const project = (n: number) => `projects/${(n % projects) + 1}`;
  const both = (name: string, call: (n: number) => Call, target?: number): Measurement => ({
    name,
    gantry: call,
    comparator: call,
    ...(target === undefined ? {} : { target }),
  });
  const list20 = (n: number) => rest(`${project(n)}/issues?per_page=20`);
  return [
    both('list20', list20, 0.5),
    both('list100', (n) => rest(`${project(n)}/issues?per_page=100`)),
    both('issue', (n) => rest(`${project(n)}/issues/${((n * 7919) % issuesInProject) + 1}`)),
    both('labels', (n) => rest(`${project(n)}/labels`)),
    { name: 'graphql', gantry: (n) => graphqlList((n % projects) + 1), comparator: list20, target: 0.5 },
    both('create', (n) => newIssue(project(n), n), 0.5),
  ];
}

/** The list of 20 over `/graphql`. */
export function graphqlList(projectId: number): Call {
  const body = JSON.stringify({ query: document, variables: { ref: projectId, limit: 20 } });
  return { method: 'POST', path: '/graphql', headers, body };
}

function newIssue(project: string, n: number): Call {
  const description = `What happened the ${n}th time, at some length. `.repeat(6);
  return { ...rest(`${project}/issues`), method: 'POST', body: JSON.stringify({ title: `Issue ${n}`, description }) };
}
