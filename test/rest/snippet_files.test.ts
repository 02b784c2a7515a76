import { beforeAll, describe, expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const author = await world.user();
const other = await world.user();
const mine = world.api(author);
let at: string;

beforeAll(async () => {
  const project = await world.project({ owner: author, visibility: 'public' });
  at = `/projects/${project.id}/snippets`;
});

const files = [
  { file_path: 'one.rb', content: 'puts 1\n' },
  { file_path: 'lib/two.rb', content: 'puts 2\n' },
];
const create = (more: object = {}) =>
  mine.post(at, { title: 'Two', description: 'Some *code*', visibility: 'public', files, ...more });
const names = (body: { files: { path: string }[] }) => body.files.map(({ path }) => path);

describe('A snippet of several files', () => {
  it('is made and read with its description and all files, the first of which is its file_name', async () => {
    const { status, body } = await create();
    expect([status, body.file_name, body.description]).toEqual([201, 'one.rb', 'Some *code*']);
    expect(names(body)).toEqual(['one.rb', 'lib/two.rb']);
    const raw = async (name: string, ref = 'main') =>
      (await world.api(other).get(`${at}/${body.id}/files/${ref}/${encodeURIComponent(name)}/raw`)).body;
    expect(await raw('one.rb')).toBe('puts 1\n');
    expect(await raw('lib/two.rb', 'HEAD')).toBe('puts 2\n');
    expect((await world.api(other).get(`${at}/${body.id}/raw`)).body).toBe('puts 1\n');
    for (const path of [`files/main/three.rb/raw`, `files/topic/one.rb/raw`])
      expect((await mine.get(`${at}/${body.id}/${path}`)).status).toBe(404);
    const page = await fetch(body.files[1].raw_url);
    expect([page.status, await page.text()]).toEqual([200, 'puts 2\n']);
  });

  it('is hidden with its files from those who do not see it', async () => {
    const { body } = await create({ visibility: 'private' });
    expect((await world.api(other).get(`${at}/${body.id}/files/main/one.rb/raw`)).status).toBe(404);
    expect((await fetch(body.files[1].raw_url)).status).not.toBe(200);
    const personal = await mine.post('/snippets', { title: 'Own', visibility: 'private', files });
    expect(personal.status).toBe(201);
    const raw = `/snippets/${personal.body.id}/files/main/${encodeURIComponent('lib/two.rb')}/raw`;
    expect((await mine.get(raw)).body).toBe('puts 2\n');
    expect((await world.api(other).get(raw)).status).toBe(404);
  });

  it('changes file by file, all or nothing', async () => {
    const { body } = await create();
    const put = (changes: object[]) => mine.put(`${at}/${body.id}`, { files: changes });
    const changed = await put([
      { action: 'create', file_path: 'three.rb', content: 'puts 3\n' },
      { action: 'update', file_path: 'lib/two.rb', content: 'puts 22\n' },
      { action: 'move', previous_path: 'one.rb', file_path: 'uno.rb' },
    ]);
    expect([changed.status, names(changed.body)]).toEqual([200, ['uno.rb', 'lib/two.rb', 'three.rb']]);
    const removed = await put([{ action: 'delete', file_path: 'uno.rb' }]);
    expect([names(removed.body), removed.body.file_name]).toEqual([['lib/two.rb', 'three.rb'], 'lib/two.rb']);
    expect((await mine.get(`${at}/${body.id}/raw`)).body).toBe('puts 22\n');
    const refused = await put([
      { action: 'delete', file_path: 'three.rb' },
      { action: 'update', file_path: 'gone.rb', content: 'x' },
    ]);
    expect(refused.status).toBe(400);
    expect(names((await mine.get(`${at}/${body.id}`)).body)).toEqual(['lib/two.rb', 'three.rb']);
    expect((await mine.put(`${at}/${body.id}`, { description: '' })).body.description).toBe('');
  });

  it('has 1 to 10 files with different names and texts', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => ({ file_path: `${n}.txt`, content: 'x' }));
    expect((await create({ files: many(10) })).status).toBe(201);
    for (const wrong of [many(11), [], [...many(1), ...many(1)], [{ file_path: 'a', content: '' }]])
      expect((await create({ files: wrong })).status).toBe(400);
    expect((await create({ files: [{ content: 'x' }] })).body.file_name).toBe('snippetfile1.txt');
    expect((await create({ file_name: 'a', code: 'x' })).status).toBe(400);
    expect((await mine.post(at, { title: 'None', visibility: 'public' })).body.error).toBe(
      'file_name is missing, code is missing',
    );
  });
});
