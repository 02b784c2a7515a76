import { provePlaces } from './places.ts';
import { ownProjectRules } from './project_rules.ts';

await provePlaces(ownProjectRules);
