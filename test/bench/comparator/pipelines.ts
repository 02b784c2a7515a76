import { reporterAccess } from './access.ts';
import { paging, sendPage } from './answer.ts';
import { app } from './app.ts';
import { one } from './database.ts';
import { restJson } from './json.ts';

const pipeline = restJson({ id: 'p.id', status: 'p.status', ref: 'p.ref', sha: 'p.sha' });

const LIST = `SELECT COALESCE(json_agg(${pipeline} ORDER BY p.id DESC), '[]')::text AS body
  FROM (SELECT p.* FROM pipelines p WHERE p.project_id = $1 ORDER BY p.id DESC LIMIT $2 OFFSET $3) p`;

const COUNT = 'SELECT count(*)::int AS total FROM pipelines p WHERE p.project_id = $1';

app.get('/api/v4/projects/:id/pipelines', async (request, response) => {
  const { projectId } = await reporterAccess(request, request.params.id);
  const { perPage, offset } = paging(request);
  const [list, count] = await Promise.all([
    one<{ body: string }>('pipelines', () => LIST, [projectId, perPage, offset]),
    one<{ total: number }>('count-pipelines', () => COUNT, [projectId]),
  ]);
  sendPage(request, response, { ...list, ...count });
});
