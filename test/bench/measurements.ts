import { token } from './dataset.ts';
import { issuesOf, nothing, projectsWithIssues } from './documents.ts';
import type { Call } from './load.ts';
import { COMMIT, PROJECTS_WITH_COMMITS } from './repositories.ts';

/** What both servers are asked for, so that what it costs can be compared. */
export interface Measurement {
  /** For the command line. */
  name: string;
  title: string;
  /** The request number `n`, from 0. */
  call: (n: number) => Call;
  /** The ratio of CPU that Gantry is to reach at least: the comparator's by Gantry's. */
  target?: number;
  /** Keys whose values each answer has for itself. */
  own?: readonly string[];
  /** Whether it changes what the others find. */
  writes?: true;
}

const headers = { 'PRIVATE-TOKEN': token };

/** A request for a path under the REST API. */
export function rest(path: string): Call {
  return { path: `/api/v4/${path}`, headers };
}

/** The measurements; each request goes to the next project. */
export function measurements(projects: number, issuesInProject: number): Measurement[] {
  const project = (n: number) => `projects/${(n % projects) + 1}`;
  const issue = (n: number) => ((n * 7919) % issuesInProject) + 1;
  const commit = (n: number) => `projects/${(n % PROJECTS_WITH_COMMITS) + 1}/repository/commits/${COMMIT}`;
  const get = (name: string, title: string, target: number, path: (n: number) => string): Measurement => ({
    name,
    title,
    target,
    call: (n) => rest(path(n)),
  });
  return [
    get('list20', 'list of 20 issues', 0.85, (n) => `${project(n)}/issues?per_page=20`),
    get('list100', 'list of 100 issues', 0.85, (n) => `${project(n)}/issues?per_page=100`),
    get('issue', 'one issue', 0.6, (n) => `${project(n)}/issues/${issue(n)}`),
    get('merge_requests', 'list of 20 merge requests', 0.75, (n) => `${project(n)}/merge_requests?per_page=20`),
    get('notes', 'notes of an issue, 100 of 1,000', 0.55, (n) => `${project(n)}/issues/1/notes?per_page=100`),
    get('labels', 'labels', 0.8, (n) => `${project(n)}/labels`),
    {
      name: 'create',
      title: 'create an issue',
      target: 0.7,
      call: (n) => newIssue(project(n), n),
      own: ['id', 'iid', 'created_at', 'updated_at', 'web_url', '_links', 'references'],
      writes: true,
    },
    {
      name: 'graphql',
      title: 'list of 20 issues over GraphQL',
      target: 0.8,
      call: (n) => issuesOf((n % projects) + 1),
    },
    {
      name: 'nested',
      title: '10 projects with 5 issues each over GraphQL',
      target: 0.6,
      call: (n) => projectsWithIssues((n % Math.floor(projects / 10)) * 10),
    },
    get('projects', 'projects', 0.65, (n) => `projects?per_page=20&page=${(n % Math.floor(projects / 20)) + 1}`),
    get('members', 'members', 0.65, (n) => `${project(n)}/members`),
    get('statuses', 'statuses of a commit', 0.65, (n) => `${commit(n)}/statuses`),
    get('pipelines', 'pipelines', 0.6, (n) => `${project(n)}/pipelines`),
    get('events', 'events of a project', 0.7, (n) => `${project(n)}/events`),
    { name: 'empty', title: 'an empty request over GraphQL', call: nothing },
  ];
}

function newIssue(project: string, n: number): Call {
  const description = `What happened the ${n}th time, at some length. `.repeat(6);
  return { ...rest(`${project}/issues`), method: 'POST', body: JSON.stringify({ title: `Issue ${n}`, description }) };
}
