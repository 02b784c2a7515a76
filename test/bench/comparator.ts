import { createHash } from 'node:crypto';
import express, { type Request, type Response } from 'express';
import pg from 'pg';
import * as sql from './comparator_sql.ts';
import { givenDatabase, serve } from './serve.ts';

// What Gantry is compared with: the same answers, written by hand on Express and pg with no layer between.

/** Ends a request with this status. */
class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const pool = new pg.Pool({
  connectionString: givenDatabase(),
  max: 10,
  options: '-c TimeZone=UTC -c plan_cache_mode=force_generic_plan',
});
const app = express();
app.disable('x-powered-by');

interface Access {
  userId: number;
  projectId: number;
  secrets: boolean;
}

async function one<Row extends pg.QueryResultRow>(
  name: string,
  text: string,
  values: unknown[],
  client: pg.Pool | pg.PoolClient = pool,
): Promise<Row | undefined> {
  return (await client.query<Row>({ name, text, values })).rows[0];
}

/** Who asks, and whether they may see the project. */
async function access(request: Request<{ id: string }>): Promise<Access> {
  const hash = createHash('sha256')
    .update(request.get('private-token') ?? '')
    .digest();
  const user = await one<{ id: number; admin: boolean; external: boolean }>('who', sql.whoSql, [hash]);
  if (!user) throw new Refusal(401, '401 Unauthorized');
  const projectId = Number(request.params.id);
  const values = [projectId, user.id, user.admin, user.external];
  const project = await one<{ secrets: boolean }>('project', sql.projectSql, values);
  if (!project) throw new Refusal(404, '404 Project Not Found');
  return { userId: user.id, projectId, secrets: project.secrets };
}

interface Paging {
  page: number;
  perPage: number;
}

function paging({ query }: Request<{ id: string }>): Paging {
  const page = Math.max(1, Number(query.page ?? 1));
  const perPage = Number(query.per_page ?? 20);
  if (!Number.isInteger(page) || !Number.isInteger(perPage)) throw new Refusal(400, 'page or per_page is invalid');
  return { page, perPage: perPage > 0 ? Math.min(perPage, 100) : 20 };
}

function sendPage(request: Request<{ id: string }>, response: Response, body: string, total: number): void {
  const { page, perPage } = paging(request);
  const pages = Math.ceil(total / perPage);
  const base = `${baseUrl(request)}${request.path}`;
  const parameters = new URLSearchParams(request.url.split('?')[1]);
  parameters.set('per_page', String(perPage));
  const link = (to: number, rel: string) => {
    parameters.set('page', String(to));
    parameters.sort();
    return `<${base}?${parameters}>; rel="${rel}"`;
  };
  const links = [link(1, 'first'), link(pages, 'last')];
  if (page < pages) links.unshift(link(page + 1, 'next'));
  if (page > 1) links.unshift(link(page - 1, 'prev'));
  response.set({
    'X-Total': String(total),
    'X-Total-Pages': String(pages),
    'X-Per-Page': String(perPage),
    'X-Page': String(page),
    'X-Next-Page': page < pages ? String(page + 1) : '',
    'X-Prev-Page': page > 1 ? String(page - 1) : '',
    Link: links.join(', '),
  });
  sendJson(response, 200, body);
}

function sendJson(response: Response, status: number, body: string): void {
  response.status(status).type('application/json').send(body);
}

function baseUrl(request: Request<{ id: string }>): string {
  return `${request.protocol}://${request.get('host')}`;
}

app.get('/api/v4/projects/:id/issues', async (request, response) => {
  const { userId, projectId, secrets } = await access(request);
  const { page, perPage } = paging(request);
  const { state } = request.query;
  const scope: sql.Scope = { state: state === 'opened' || state === 'closed' ? state : undefined, secrets };
  const viewer = secrets ? [] : [userId];
  const values = [baseUrl(request), projectId, perPage, (page - 1) * perPage, ...viewer];
  const [list, count] = await Promise.all([
    one<{ body: string }>(sql.named('list', scope), sql.listSql(scope), values),
    one<{ total: number }>(sql.named('count', scope), sql.countSql(scope), [projectId, ...viewer]),
  ]);
  sendPage(request, response, list?.body ?? '[]', count?.total ?? 0);
});

app.get('/api/v4/projects/:id/labels', async (request, response) => {
  const { userId, projectId, secrets } = await access(request);
  const { page, perPage } = paging(request);
  const scope: sql.Scope = { state: undefined, secrets };
  const values = [userId, projectId, perPage, (page - 1) * perPage];
  const [list, count] = await Promise.all([
    one<{ body: string }>(sql.named('labels', scope), sql.labelsSql(scope), values),
    one<{ total: number }>('count-labels', sql.countLabelsSql, [projectId]),
  ]);
  sendPage(request, response, list?.body ?? '[]', count?.total ?? 0);
});

async function sendIssue(
  request: Request<{ id: string }>,
  response: Response,
  { userId, projectId, secrets }: Access,
  iid: number,
  status: number,
) {
  const scope: sql.Scope = { state: undefined, secrets };
  const values = [baseUrl(request), userId, projectId, iid];
  const row = await one<{ body: string }>(sql.named('issue', scope), sql.issueSql(scope), values);
  if (!row) throw new Refusal(404, '404 Not found');
  sendJson(response, status, row.body);
}

app.get('/api/v4/projects/:id/issues/:iid', async (request, response) => {
  await sendIssue(request, response, await access(request), Number(request.params.iid), 200);
});

app.post('/api/v4/projects/:id/issues', express.json(), async (request, response) => {
  const granted = await access(request);
  const { title, description = null } = request.body ?? {};
  if (typeof title !== 'string' || title === '' || title.length > 255) throw new Refusal(400, 'title is invalid');
  const iid = await insertIssue(granted, title, description);
  await sendIssue(request, response, granted, iid, 201);
});

async function insertIssue({ projectId, userId }: Access, title: string, description: string | null): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const values = [projectId, userId, title, description];
    const issue = await one<{ id: number; iid: number }>('insert-issue', sql.insertIssueSql, values, client);
    if (!issue) throw new Refusal(404, '404 Project Not Found');
    await one('insert-event', sql.insertEventSql, [projectId, userId, issue.id, title], client);
    await client.query('COMMIT');
    return issue.iid;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

app.use((error: Error & { status?: number }, _request: Request, response: Response, _next: () => void) => {
  sendJson(response, error.status ?? 500, JSON.stringify({ message: error.message }));
});

await serve(app);
