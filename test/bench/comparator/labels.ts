import { access } from './access.ts';
import { paging, sendPage } from './answer.ts';
import { app } from './app.ts';
import { one } from './database.ts';
import { issueConditions, named, type Scope } from './issues_sql.ts';

/** Dark on colors that are light on the whole. */
const TEXT_COLOR = `CASE WHEN (SELECT avg(('x' || substr(l.color, c, 2))::bit(8)::int) FROM generate_series(2, 6, 2) c) > 127
  THEN '#1F1E24' ELSE '#FFFFFF' END`;

/** The data has no Markdown. */
const ESCAPED = `replace(replace(replace(l.description, '&', '&amp;'), '<', '&lt;'), '>', '&gt;')`;

/** A page of labels. Parameters: user, project, limit, offset. */
const labelsSql = (scope: Scope) => `WITH page AS MATERIALIZED (
    SELECT * FROM labels WHERE project_id = $2 ORDER BY title, id LIMIT $3 OFFSET $4),
  issue_counts AS (
    SELECT il.label_id, count(*) FILTER (WHERE i.state = 'opened') AS opened, count(*) FILTER (WHERE i.state = 'closed') AS closed
    FROM issue_labels il JOIN issues i ON i.id = il.issue_id
    WHERE il.label_id IN (SELECT id FROM page) AND ${issueConditions('$2', '$1', scope)} GROUP BY il.label_id),
  merge_request_counts AS (
    SELECT ml.label_id, count(*) AS opened FROM merge_request_labels ml JOIN merge_requests mr ON mr.id = ml.merge_request_id
    WHERE ml.label_id IN (SELECT id FROM page) AND mr.state = 'opened' GROUP BY ml.label_id)
  SELECT COALESCE(json_agg(json_build_object('id', l.id, 'name', l.title, 'color', l.color, 'description', l.description,
    'open_issues_count', COALESCE(c.opened, 0), 'closed_issues_count', COALESCE(c.closed, 0),
    'open_merge_requests_count', COALESCE(m.opened, 0), 'subscribed', COALESCE(s.subscribed, false),
    'priority', l.priority, 'is_project_label', true, 'archived', l.archived, 'text_color', ${TEXT_COLOR},
    'description_html', ${ESCAPED}) ORDER BY l.title, l.id), '[]')::text AS body
  FROM page l LEFT JOIN issue_counts c ON c.label_id = l.id LEFT JOIN merge_request_counts m ON m.label_id = l.id
  LEFT JOIN subscriptions s ON s.subject_type = 'Label' AND s.subject_id = l.id AND s.user_id = $1`;

const COUNT = 'SELECT count(*)::int AS total FROM labels WHERE project_id = $1';

app.get('/api/v4/projects/:id/labels', async (request, response) => {
  const { userId, projectId, secrets } = await access(request, request.params.id);
  const { perPage, offset } = paging(request);
  const scope: Scope = { state: undefined, secrets };
  const values = [userId, projectId, perPage, offset];
  const [list, count] = await Promise.all([
    one<{ body: string }>(named('labels', scope), () => labelsSql(scope), values),
    one<{ total: number }>('count-labels', () => COUNT, [projectId]),
  ]);
  sendPage(request, response, { ...list, ...count });
});
