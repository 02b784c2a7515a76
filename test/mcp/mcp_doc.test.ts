import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { compileTool } from '#mcp/engine/compile.ts';
import { tools } from '#mcp/tools.ts';
import { schema } from '#schema/index.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { LONG } from '../support/long.ts';
import { post } from '../support/mcp.ts';
import { startWorld } from '../support/world.ts';

const text = readFileSync(packagePath('docs/mcp.md'), 'utf8');
const world = await startWorld();

it('docs/mcp.md lists the tools, and says which of them change something', () => {
  const rows = [...text.matchAll(/^\| `(\w+)` \| (yes)? ?\|$/gm)].map(([, name, yes]) => [name, yes === undefined]);
  const known = tools.map((row) => compileTool(row, schema)).map(({ name, reads }) => [name, reads]);
  expect(rows).toEqual(known);
});

it('docs/mcp.md shows a request that works', LONG, async () => {
  const user = await world.user();
  const project = await world.project({ owner: user });
  const [, body = ''] = /^ {2}-d '(.*)'$/m.exec(text) ?? [];
  const answer = await post(world, JSON.parse(body), { Authorization: `Bearer ${user.token}` });
  expect(answer.status).toBe(200);
  expect(answer.body.result.structuredContent.nodes).toEqual([
    expect.objectContaining({ fullPath: `${user.username}/${project.path}` }),
  ]);
});

it('docs/mcp.md shows settings of clients in JSON, which lead to /mcp with a token', () => {
  const blocks = [...text.matchAll(/^```json\n(.*?)^```$/gms)].map(([, block = '']) => JSON.parse(block));
  expect(blocks).toHaveLength(2);
  for (const { mcpServers, servers } of blocks) {
    const { url, headers } = (mcpServers ?? servers).gantry;
    expect([url, headers.Authorization]).toEqual([
      'https://gantry.example.com/mcp',
      expect.stringMatching(/^Bearer \$\{/),
    ]);
  }
});
