import { randomUUID } from 'node:crypto';
import { getIntrospectionQuery, type IntrospectionQuery } from 'graphql';

const [, , url = '', token = ''] = process.argv;

/** The server that a program is told to try, and who asks: URL and private token are its arguments. */
export const endpoint = `${url}/graphql`;
export const headers = { 'Private-Token': token };

/** Asks without any client; what is refused is thrown. */
export async function ask<Data>(query: string, variables: object): Promise<Data> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data: Data; errors?: unknown };
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

/** A `fetch` that notes how the document `ProjectPath` was sent, and whether by its text or by its hash alone. */
export function followed(sent: string[]): typeof fetch {
  return (input, init) => {
    const text = decodeURIComponent(`${input}${init?.body ?? ''}`);
    sent.push(`${init?.method} ${/query[ +]ProjectPath/.test(text) ? 'text' : 'hash'}`);
    return fetch(input, init);
  };
}

/** A new project of the caller with issues that are called `Issue 1` and so on; its full path. */
export async function newProject(issues: number): Promise<string> {
  const { createProject } = await ask<{ createProject: { project: { fullPath: string } } }>(CREATE_PROJECT, {
    name: `p${randomUUID()}`,
  });
  const project = createProject.project.fullPath;
  for (let number = 1; number <= issues; number++) await ask(CREATE_ISSUE, { project, title: `Issue ${number}` });
  return project;
}

export async function deleteIssue(project: string, iid: number): Promise<void> {
  await ask(DELETE_ISSUE, { project, iid });
}

export async function renameIssue(project: string, iid: number, title: string): Promise<void> {
  await ask(RENAME_ISSUE, { project, iid, title });
}

/** The schema as clients read it. */
export function introspect(): Promise<IntrospectionQuery> {
  return ask(getIntrospectionQuery(), {});
}

const CREATE_PROJECT = `
  mutation ($name: String!) { createProject(input: { name: $name }) { project { fullPath } } }
`;
const CREATE_ISSUE = `
  mutation ($project: ProjectRef!, $title: String!) {
    createIssue(input: { project: $project, title: $title }) { issue { id } }
  }
`;
const DELETE_ISSUE = `
  mutation ($project: ProjectRef!, $iid: Int!) {
    deleteIssue(input: { project: $project, iid: $iid }) { deletedIssueId }
  }
`;
const RENAME_ISSUE = `
  mutation ($project: ProjectRef!, $iid: Int!, $title: String!) {
    updateIssue(input: { project: $project, iid: $iid, title: $title }) { issue { id } }
  }
`;
