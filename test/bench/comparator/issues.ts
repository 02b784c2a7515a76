import express, { type Request, type Response } from 'express';
import { type Access, access } from './access.ts';
import { baseUrl, paging, Refusal, sendJson, sendPage } from './answer.ts';
import { app } from './app.ts';
import { one, transaction } from './database.ts';
import { countSql, insertEventSql, insertIssueSql, issueSql, issuesSql, named, type Scope } from './issues_sql.ts';
import { type Fields, restJson } from './json.ts';

app.get('/api/v4/projects/:id/issues', async (request, response) => {
  const granted = await access(request, request.params.id);
  const { perPage, offset } = paging(request);
  const { state } = request.query;
  const filter = state === 'opened' || state === 'closed' ? state : undefined;
  sendPage(request, response, await readIssues(request, granted, filter, [perPage, offset], ['rest', restJson]));
});

/** A page of issues, as one text of JSON, and how many there are. */
export async function readIssues(
  request: Request,
  { userId, projectId, secrets }: Access,
  state: Scope['state'],
  [limit, offset]: [number, number],
  [name, object]: [string, (fields: Fields) => string],
): Promise<{ body: string | undefined; total: number | undefined }> {
  const scope: Scope = { state, secrets };
  const viewer = secrets ? [] : [userId];
  const values = [baseUrl(request), projectId, limit, offset, ...viewer];
  const [list, count] = await Promise.all([
    one<{ body: string }>(named(`issues-${name}`, scope), () => issuesSql(scope, object), values),
    one<{ total: number }>(named('count', scope), () => countSql(scope), [projectId, ...viewer]),
  ]);
  return { body: list?.body, total: count?.total };
}

app.get('/api/v4/projects/:id/issues/:iid', async (request, response) => {
  const { id, iid } = request.params;
  await sendIssue(request, response, await access(request, id), Number(iid), 200);
});

async function sendIssue(
  request: Request,
  response: Response,
  { userId, projectId, secrets }: Access,
  iid: number,
  status: number,
) {
  const scope: Scope = { state: undefined, secrets };
  const values = [baseUrl(request), userId, projectId, iid];
  const row = await one<{ body: string }>(named('issue', scope), () => issueSql(scope), values);
  if (!row) throw new Refusal(404, '404 Not found');
  sendJson(response, status, row.body);
}

app.post('/api/v4/projects/:id/issues', express.json(), async (request, response) => {
  const granted = await access(request, request.params.id);
  const { title, description = null } = request.body ?? {};
  if (typeof title !== 'string' || title === '' || title.length > 255) throw new Refusal(400, 'title is invalid');
  const iid = await insertIssue(granted, title, description);
  await sendIssue(request, response, granted, iid, 201);
});

function insertIssue({ projectId, userId }: Access, title: string, description: string | null): Promise<number> {
  return transaction(async (client) => {
    const values = [projectId, userId, title, description];
    const issue = await one<{ id: number; iid: number }>('insert-issue', () => insertIssueSql, values, client);
    if (!issue) throw new Refusal(404, '404 Project Not Found');
    await one('insert-event', () => insertEventSql, [projectId, userId, issue.id, title], client);
    return issue.iid;
  });
}
