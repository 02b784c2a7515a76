import { expect, it } from 'vitest';
import { snippetPlace } from '#src/domain/snippets/repository.ts';
import { Browser } from '../support/browser.ts';
import { git } from '../support/git_program.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const author = await world.user();
const mine = world.api(author);
const files = [
  { file_path: 'one.rb', content: 'puts 1\n' },
  { file_path: 'lib/two.rb', content: 'puts 2\n' },
];

/** A snippet with two commits, the second of which changes one file and removes the other. */
async function changed(at: string, visibility: 'public' | 'private') {
  const { body } = await mine.post(at, { title: 'Tools', visibility, files });
  const changes = [
    { action: 'update', file_path: 'one.rb', content: 'puts "one"\n' },
    { action: 'delete', file_path: 'lib/two.rb' },
  ];
  expect((await mine.put(`${at}/${body.id}`, { files: changes })).status).toBe(200);
  const directory = world.repositories.directory(snippetPlace(body.id, 'default'));
  const [second = '', first = ''] = git(directory, ['rev-list', 'main']).trim().split('\n');
  return { snippet: body, first, second };
}

it('shows how to clone a snippet, its history, each commit with its changes, and the files of each', async () => {
  const project = await world.project({ owner: author, visibility: 'public' });
  const [own, ofProject] = [
    await changed('/snippets', 'public'),
    await changed(`/projects/${project.id}/snippets`, 'public'),
  ];
  for (const [{ snippet, first, second }, base] of [
    [own, `/-/snippets/${own.snippet.id}`],
    [ofProject, `/${project.fullPath}/-/snippets/${ofProject.snippet.id}`],
  ] as const) {
    const browser = new Browser(world.send);
    await browser.get(base);
    expect(browser.page).toContain(`value="${snippet.http_url_to_repo}"`);
    expect(browser.page).toContain(`href="${base}/history"`);
    await browser.get(`${base}/history`);
    expect(browser.answer.status).toBe(200);
    expect(browser.page.indexOf('Update snippet')).toBeLessThan(browser.page.indexOf('Initial commit'));
    await browser.get(`${base}/history/${second}`);
    const shown = browser.page
      .replace(/<[^>]*>/g, '')
      .replaceAll('&#34;', '"')
      .replaceAll('&quot;', '"');
    for (const text of ['puts 1', 'puts "one"', 'lib/two.rb', second]) expect(shown).toContain(text);
    await browser.get(`${base}/history/${first}/files`);
    expect(browser.page).toContain(`${base}/raw/${first}/lib/two.rb`);
    await browser.get(`${base}/history/${'0'.repeat(40)}`);
    expect(browser.answer.status).toBe(404);
  }
});

it('shows the history of a private snippet to its author alone', async () => {
  const { snippet, first } = await changed('/snippets', 'private');
  const stranger = new Browser(world.send);
  for (const below of ['', '/history', `/history/${first}`, `/history/${first}/files`]) {
    await stranger.get(`/-/snippets/${snippet.id}${below}`);
    expect([below, [302, 303, 404].includes(stranger.answer.status)]).toEqual([below, true]);
    expect(stranger.page).not.toContain('puts 1');
  }
});
