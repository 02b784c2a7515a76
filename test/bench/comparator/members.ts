import { access } from './access.ts';
import { baseUrl, paging, sendPage } from './answer.ts';
import { app } from './app.ts';
import { one } from './database.ts';
import { restJson, timestamp, user } from './json.ts';

const member = restJson({
  ...user('u'),
  access_level: 'm.access_level',
  expires_at: 'm.expires_at',
  created_at: timestamp('m.created_at'),
  membership_state: `'active'`,
  locked: `EXISTS (SELECT 1 FROM sign_in_failures f WHERE f.key = 'account #' || u.id AND f.count >= 10
    AND f.since > now() - interval '1 minute')`,
  public_email: 'CASE WHEN NOT u.private_profile THEN u.public_email END',
});

const notExpired = (project: string) =>
  `m.project_id = ${project} AND (m.expires_at IS NULL OR m.expires_at > (now() AT TIME ZONE 'UTC')::date)`;

const LIST = `SELECT COALESCE(json_agg(${member} ORDER BY m.user_id DESC), '[]')::text AS body
  FROM (SELECT m.* FROM members m WHERE ${notExpired('$2')} ORDER BY m.user_id DESC LIMIT $3 OFFSET $4) m JOIN users u ON u.id = m.user_id`;

const COUNT = `SELECT count(*)::int AS total FROM members m WHERE ${notExpired('$1')}`;

app.get('/api/v4/projects/:id/members', async (request, response) => {
  const { projectId } = await access(request, request.params.id);
  const { perPage, offset } = paging(request);
  const [list, count] = await Promise.all([
    one<{ body: string }>('members', () => LIST, [baseUrl(request), projectId, perPage, offset]),
    one<{ total: number }>('count-members', () => COUNT, [projectId]),
  ]);
  sendPage(request, response, { ...list, ...count });
});
