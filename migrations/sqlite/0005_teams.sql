CREATE TABLE `team_members` (
	`team_id` text NOT NULL,
	`user_id` text NOT NULL,
	PRIMARY KEY(`team_id`, `user_id`),
	FOREIGN KEY (`team_id`) REFERENCES `teams`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `team_members_user_idx` ON `team_members` (`user_id`);--> statement-breakpoint
CREATE TABLE `team_workspaces` (
	`id` text PRIMARY KEY NOT NULL,
	`team_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`access` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`team_id`) REFERENCES `teams`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `team_workspaces_key` ON `team_workspaces` (`team_id`,`workspace_id`);--> statement-breakpoint
CREATE INDEX `team_workspaces_workspace_idx` ON `team_workspaces` (`workspace_id`);--> statement-breakpoint
CREATE TABLE `teams` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`is_owners` integer NOT NULL,
	`visibility` text NOT NULL,
	`sso_team_id` text,
	`allow_member_token_management` integer NOT NULL,
	`organization_access` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `teams_name_key` ON `teams` (`organization_id`,`name_key`);--> statement-breakpoint
ALTER TABLE `tokens` ADD `team_id` text;--> statement-breakpoint
CREATE INDEX `tokens_team_idx` ON `tokens` (`team_id`);--> statement-breakpoint
-- Organizations that are there already get the team of their owners.
INSERT INTO `teams` (`id`, `organization_id`, `name`, `name_key`, `is_owners`, `visibility`, `allow_member_token_management`, `organization_access`, `created_at`, `updated_at`)
SELECT 'team-' || substr(`id`, 5), `id`, 'owners', 'owners', 1, 'secret', 1, '[]', `created_at`, `created_at` FROM `organizations`;--> statement-breakpoint
INSERT INTO `team_members` (`team_id`, `user_id`)
SELECT 'team-' || substr(`organization_id`, 5), `user_id` FROM `organization_memberships` WHERE `role` = 'owner';