import { reporterAccess } from './access.ts';
import { baseUrl, paging, sendPage } from './answer.ts';
import { app } from './app.ts';
import { one } from './database.ts';
import { restJson, timestamp } from './json.ts';

const pipeline = restJson({
  id: 'p.id',
  status: 'p.status',
  ref: 'p.ref',
  sha: 'p.sha',
  iid: 'p.iid',
  project_id: 'p.project_id',
  source: "CASE WHEN p.merge_request_id IS NULL THEN p.source::text ELSE 'merge_request_event' END",
  created_at: timestamp('p.created_at'),
  updated_at: timestamp('p.updated_at'),
  web_url: "$1::text || '/' || ns.full_path || '/' || pr.path || '/-/pipelines/' || p.id",
  name: 'p.name',
});

/** Parameters: base URL, project, limit, offset. */
const LIST = `SELECT COALESCE(json_agg(${pipeline} ORDER BY p.id DESC), '[]')::text AS body
  FROM (SELECT p.* FROM pipelines p WHERE p.project_id = $2 ORDER BY p.id DESC LIMIT $3 OFFSET $4) p
  JOIN projects pr ON pr.id = p.project_id JOIN namespaces ns ON ns.id = pr.namespace_id`;

const COUNT = 'SELECT count(*)::int AS total FROM pipelines p WHERE p.project_id = $1';

app.get('/api/v4/projects/:id/pipelines', async (request, response) => {
  const { projectId } = await reporterAccess(request, request.params.id);
  const { perPage, offset } = paging(request);
  const [list, count] = await Promise.all([
    one<{ body: string }>('pipelines', () => LIST, [baseUrl(request), projectId, perPage, offset]),
    one<{ total: number }>('count-pipelines', () => COUNT, [projectId]),
  ]);
  sendPage(request, response, { ...list, ...count });
});
