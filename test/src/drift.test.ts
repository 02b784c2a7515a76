import { describe, expect, it } from 'vitest';
import { schemaDrift } from '../../scripts/schema-engine.ts';
import { freshDatabase } from '../support/database.ts';

describe('The migrations', () => {
  it('make the database that the Prisma models describe', async () => {
    expect(await schemaDrift(await freshDatabase())).toBeNull();
  });
});
