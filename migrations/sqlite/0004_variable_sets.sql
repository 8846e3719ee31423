CREATE TABLE `variable_set_projects` (
	`variable_set_id` text NOT NULL,
	`project_id` text NOT NULL,
	PRIMARY KEY(`variable_set_id`, `project_id`),
	FOREIGN KEY (`variable_set_id`) REFERENCES `variable_sets`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `variable_set_projects_project_idx` ON `variable_set_projects` (`project_id`);--> statement-breakpoint
CREATE TABLE `variable_set_variables` (
	`id` text PRIMARY KEY NOT NULL,
	`variable_set_id` text NOT NULL,
	`key` text NOT NULL,
	`category` text NOT NULL,
	`value_sealed` blob NOT NULL,
	`is_hcl` integer NOT NULL,
	`is_sensitive` integer NOT NULL,
	`description` text NOT NULL,
	`version_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`variable_set_id`) REFERENCES `variable_sets`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `variable_set_variables_key` ON `variable_set_variables` (`variable_set_id`,`key`,`category`);--> statement-breakpoint
CREATE TABLE `variable_set_workspaces` (
	`variable_set_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	PRIMARY KEY(`variable_set_id`, `workspace_id`),
	FOREIGN KEY (`variable_set_id`) REFERENCES `variable_sets`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `variable_set_workspaces_workspace_idx` ON `variable_set_workspaces` (`workspace_id`);--> statement-breakpoint
CREATE TABLE `variable_sets` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text,
	`owner_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`is_global` integer NOT NULL,
	`is_priority` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `variable_sets_name_key` ON `variable_sets` (`owner_id`,`name`);--> statement-breakpoint
CREATE INDEX `variable_sets_organization_idx` ON `variable_sets` (`organization_id`,`name`);