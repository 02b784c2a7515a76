import type { CampaignServer } from './server.ts';

/** A word that stands in private projects alone. */
export const SECRET = 'quince-7f3a9c51';

/** Who may write into a private project of the sample data, and which it is. */
const PLACES = [
  ['ben', 'harbor/ledger'],
  ['ada', 'ada/dotfiles'],
  ['chloe', 'orchard/tools/ci/images'],
] as const;

/** Writes the secret word into whatever a private project has, other than topics, whose names everybody sees. Throws Error if not even half of that succeeds. */
export async function plantSecrets({ url, tokens }: CampaignServer): Promise<void> {
  let [done, all] = [0, 0];
  const post = async (who: string, path: string, body: object, method = 'POST') => {
    const headers = { 'Private-Token': tokens[who] ?? '', 'Content-Type': 'application/json' };
    const answer = await fetch(`${url}/api/v4/${path}`, { method, headers, body: JSON.stringify(body) });
    all++;
    if (answer.ok) done++;
    return answer.ok ? ((await answer.json()) as { id: number; iid: number }) : null;
  };
  for (const [who, path] of PLACES) {
    const at = `projects/${encodeURIComponent(path)}`;
    await post(who, at, { description: SECRET }, 'PUT');
    const issue = await post(who, `${at}/issues`, { title: `Issue ${SECRET}`, description: SECRET, labels: SECRET });
    if (issue) await post(who, `${at}/issues/${issue.iid}/notes`, { body: `Note ${SECRET} @fern @hugo` });
    await post(who, `${at}/milestones`, { title: SECRET });
    await post(who, `${at}/snippets`, { title: SECRET, file_name: 'a', content: SECRET, visibility: 'private' });
    await post(who, `${at}/variables`, { key: 'SECRET', value: SECRET });
    await post(who, `${at}/wikis`, { title: SECRET, content: SECRET });
    await post(who, `${at}/hooks`, { url: `http://127.0.0.1:1/${SECRET}` });
    await post(who, `${at}/deploy_tokens`, { name: SECRET, scopes: ['read_repository'] });
    const file = { branch: 'main', content: SECRET, commit_message: SECRET };
    await post(who, `${at}/repository/files/${SECRET}`, file);
    await post(who, `${at}/repository/tags`, { tag_name: SECRET, ref: 'main', message: SECRET });
    await post(who, `${at}/releases`, { tag_name: SECRET, name: SECRET, description: SECRET });
    await post(who, `${at}/repository/branches`, { branch: SECRET, ref: 'main' });
    await post(who, `${at}/merge_requests`, { title: SECRET, source_branch: SECRET, target_branch: 'main' });
    await post(who, `${at}/badges`, { link_url: `http://127.0.0.1/${SECRET}`, image_url: 'http://127.0.0.1/a' });
    await post(who, `${at}/environments`, { name: SECRET });
  }
  // A confidential issue, and one's own snippet, in what others may read.
  const open = `projects/${encodeURIComponent('orchard/apples')}`;
  await post('ada', `${open}/issues`, { title: SECRET, confidential: true });
  await post('ada', 'snippets', { title: SECRET, file_name: 'a', content: SECRET, visibility: 'private' });
  await post('ada', 'groups/orchard/variables', { key: 'SECRET', value: SECRET });
  if (done < all / 2) throw new Error(`Only ${done} of ${all} secrets could be written`);
}
