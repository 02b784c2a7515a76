import { isDeepStrictEqual } from 'node:util';
import { difference } from '../agree.ts';
import { graphql, issuesOf, projectsWithIssues } from '../documents.ts';
import { type Call, send } from '../load.ts';
import { gantryIssue, gantryProject, type Issue, type Project } from './records.ts';

/** One question, as each of the two is asked it. */
export interface Query {
  title: string;
  gantry: (n: number) => Call;
  postgraphile: (n: number) => Call;
  /** The data that Gantry answers with, from what PostGraphile does. */
  translate(data: never): unknown;
}

/** Labels, notes and awards are in tables of their own, whose records a client counts and puts in order. */
const LABELS = 'issueLabelsByIssueId { nodes { labelByLabelId { title } } }';
const NOTES = 'notes: issueNotesByIssueId { totalCount }';
const BRIEF = '{ rowId username name state avatarUrl webUrl }';
const PLACE = 'rowId name path namespaceByNamespaceId { fullPath }';
const ORDER = 'orderBy: [CREATED_AT_DESC, ROW_ID_DESC]';

const ISSUES = `query Issues($ref: Int!, $limit: Int) {
  projectByRowId(rowId: $ref) {
    ${PLACE}
    issuesByProjectId(first: $limit, ${ORDER}, condition: { deletedAt: null }) {
      totalCount
      nodes {
        rowId iid projectId title description state createdAt updatedAt ${LABELS}
        milestoneByMilestoneId { rowId iid projectId title description state createdAt updatedAt dueDate startDate }
        userByAssigneeId ${BRIEF}
        userByAuthorId ${BRIEF}
        ${NOTES}
        upvotes: issueAwardsByIssueId(condition: { name: "thumbsup" }) { totalCount }
        downvotes: issueAwardsByIssueId(condition: { name: "thumbsdown" }) { totalCount }
        dueDate confidential
      }
    }
  }
}`;

const PROJECTS = `query Projects($limit: Int, $offset: Int, $issues: Int) {
  allProjects(first: $limit, offset: $offset, ${ORDER}) {
    nodes {
      ${PLACE}
      issuesByProjectId(first: $issues, ${ORDER}, condition: { deletedAt: null }) {
        totalCount
        nodes { rowId iid title state createdAt ${LABELS} userByAuthorId ${BRIEF} ${NOTES} }
      }
    }
  }
}`;

/** What both are asked, with so many projects. */
export function queries(projects: number): Query[] {
  const id = (n: number) => (n % projects) + 1;
  const offset = (n: number) => (n % Math.floor(projects / 10)) * 10;
  return [
    {
      title: 'list of 20 issues over GraphQL',
      gantry: (n) => issuesOf(id(n)),
      postgraphile: (n) => graphql('Issues', ISSUES, { ref: id(n), limit: 20 }),
      translate: ({ projectByRowId: project }: { projectByRowId: Project }) => ({
        project: { issues: connection(project) },
      }),
    },
    {
      title: '10 projects with 5 issues each over GraphQL',
      gantry: (n) => projectsWithIssues(offset(n)),
      postgraphile: (n) => graphql('Projects', PROJECTS, { limit: 10, offset: offset(n), issues: 5 }),
      translate: ({ allProjects: { nodes } }: { allProjects: { nodes: Project[] } }) => ({
        projects: { nodes: nodes.map((project) => ({ ...gantryProject(project), issues: connection(project) })) },
      }),
    },
  ];
}

function connection(project: Project) {
  const { totalCount, nodes } = project.issuesByProjectId;
  return { totalCount, nodes: nodes.map((issue: Issue) => gantryIssue(issue, project)) };
}

/**
 * Makes sure that both answer the question in the same way.
 *
 * @throws Error with the first difference
 */
export async function requireSameAnswers(query: Query, gantry: string, postgraphile: string): Promise<void> {
  for (let n = 0; n < 10; n++) {
    const ours = (await read(gantry, query.gantry(n))) as unknown;
    const theirs = query.translate(await read(postgraphile, query.postgraphile(n)));
    // Undefined is nothing in JSON.
    const expected: unknown = JSON.parse(JSON.stringify(theirs));
    if (isDeepStrictEqual(ours, expected)) continue;
    throw new Error(`PostGraphile answers otherwise, ${query.title}:\n${difference(ours, expected)}`);
  }
}

async function read(url: string, call: Call): Promise<never> {
  const { status, text } = await send(url, call);
  const { data, errors } = status < 300 ? JSON.parse(text.replaceAll(url, 'base:')) : { errors: text };
  if (errors) throw new Error(`${url} answered ${status}: ${JSON.stringify(errors)}`);
  return data as never;
}
