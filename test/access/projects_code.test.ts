import { provePlaces } from './places.ts';
import { codeRules } from './project_rules.ts';

await provePlaces(codeRules);
