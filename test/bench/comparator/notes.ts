import { access } from './access.ts';
import { baseUrl, paging, Refusal, sendPage } from './answer.ts';
import { app } from './app.ts';
import { one } from './database.ts';
import { issueConditions, named, type Scope } from './issues_sql.ts';
import { restJson, timestamp, user } from './json.ts';

const note = restJson({
  id: 'n.id',
  body: 'n.body',
  attachment: 'NULL::text',
  author: restJson(user('au')),
  created_at: timestamp('n.created_at'),
  updated_at: timestamp('n.updated_at'),
  system: 'n.system',
  noteable_id: 'n.subject_id',
  noteable_type: 'n.subject_type',
  type: 'NULL',
  project_id: '$5::int',
  noteable_iid: '$6::int',
  commit_id: 'NULL',
  resolvable: 'false',
  confidential: 'false',
  internal: 'false',
  imported: 'false',
  imported_from: "'none'",
  commands_changes: restJson({}),
});

/** Notes that come from elsewhere are shown to those who see that; the data has none. */
const OF_ISSUE = `n.subject_type = 'Issue' AND n.subject_id = $1 AND n.source_type IS NULL`;

/** Parameters: issue, base URL, limit, offset, project, number of the issue. */
const LIST = `SELECT COALESCE(json_agg(${note.replaceAll('$1', '$2')} ORDER BY n.id), '[]')::text AS body
  FROM (SELECT n.* FROM notes n WHERE ${OF_ISSUE} ORDER BY n.id LIMIT $3 OFFSET $4) n JOIN users au ON au.id = n.author_id`;

const COUNT = `SELECT count(*)::int AS total FROM notes n WHERE ${OF_ISSUE}`;

/** Parameters: issue's number, project, user unless they see secrets. */
const issueSql = (scope: Scope) =>
  `SELECT i.id FROM issues i WHERE i.iid = $1 AND ${issueConditions('$2', '$3', scope)}`;

app.get('/api/v4/projects/:id/issues/:iid/notes', async (request, response) => {
  const { id, iid } = request.params;
  const { userId, projectId, secrets } = await access(request, id);
  const { perPage, offset } = paging(request);
  const scope: Scope = { state: undefined, secrets };
  const viewer = secrets ? [] : [userId];
  const values = [Number(iid), projectId, ...viewer];
  const issue = await one<{ id: number }>(named('issue-id', scope), () => issueSql(scope), values);
  if (!issue) throw new Refusal(404, '404 Not found');
  const [list, count] = await Promise.all([
    one<{ body: string }>('notes', () => LIST, [issue.id, baseUrl(request), perPage, offset, projectId, Number(iid)]),
    one<{ total: number }>('count-notes', () => COUNT, [issue.id]),
  ]);
  sendPage(request, response, { ...list, ...count });
});
